/*
 * The tables that the app uses: on the device while that works, in the page where it does not. No call ever fails.
 *
 * A browser may have no room left, keep no data (private windows), or refuse its database for reasons of its own. Then rows go to the page's
 * memory and are found there first; what was on the device before stays readable. That it is so is told by `standing`. When the
 * device works again, the rows of the page move there.
 *
 * After a wipe nothing of the one who was signed in is written again. Each write is asked for through the `Writes` that were handed out while
 * they were: those end with the wipe, also what of it was under way, such as a second attempt over a new connection. A device that could not be
 * wiped then is wiped before it is used for anything else, so nothing of it is shown, sent or mixed with what is another's.
 */
import { type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { Clock } from '@clawdfather/kit';
import { connectTo, isFull, type WithDisk } from './connection.ts';
import { type DeviceTables, type Rows, type TableName, tableNames } from './device-tables.ts';
import { createMemoryTables, type MemoryTables } from './memory-tables.ts';
import type { WipeMark } from './wipe-mark.ts';

/* `full`: there is no room. `refused`: the browser does not keep data here. `asked`: "keep nothing here" is on. */
export type StorageStanding =
  | { readonly kind: 'kept' }
  | { readonly kind: 'in-page'; readonly why: 'full' | 'refused' | 'asked' };

export interface LastingTables extends DeviceTables {
  readonly standing: ReadonlySignal<StorageStanding>;
  /* Of whoever is signed in now. */
  writes(): Writes;
  /* Of every table, and the end of the writes that were handed out. */
  wipe(): Promise<void>;
  /* What waits to be sent, what was typed and whose it is move into the page; nothing is left on the device. */
  leaveDevice(): Promise<void>;
}

export interface Writes extends Pick<DeviceTables, 'put' | 'remove' | 'change'> {
  /* Aborted by the wipe. */
  readonly wiped: AbortSignal;
}

export interface LastingDeps {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly open: () => Promise<DeviceTables>;
  readonly keepsNothing: () => boolean;
  readonly wipeMark: WipeMark;
  /* Called when there is no room, before a second attempt. */
  readonly makeRoom?: (disk: DeviceTables) => Promise<void>;
}

export function createLastingTables(deps: LastingDeps): LastingTables {
  const memory = createMemoryTables();
  const standing = signal<StorageStanding>({ kind: 'kept' });
  const withDisk = wipedFirst(connectTo(deps.open, deps.clock), deps.wipeMark);
  const onDisk = createOnDisk({ ...deps, memory, standing, withDisk });
  const all = async <Name extends TableName>(table: Name): Promise<readonly Rows[Name][]> => {
    const inPage = memory.rowsOf(table);
    const read = await onDisk('read', async (disk) => merge(await disk.all(table), inPage));
    return read?.result ?? [...inPage.values()];
  };
  let wiping = new AbortController();
  const writes = (): Writes => createWrites({ memory, onDisk, all, wiped: wiping.signal });
  const clear = async (): Promise<void> => {
    await memory.clear();
    await evenSo(withDisk, (disk) => disk.clear());
  };
  const finishWipe = (): Promise<void> => evenSo(withDisk, async () => {});
  // Also where nothing is kept any more.
  if (deps.wipeMark.isSet()) void finishWipe();
  return {
    standing,
    all,
    writes,
    put: (table, row) => writes().put(table, row),
    remove: (table, keys) => writes().remove(table, keys),
    change: (table, work) => writes().change(table, work),
    read: async (table, key) =>
      memory.rowsOf(table).get(key) ??
      (await onDisk('read', (disk) => disk.read(table, key)))?.result,
    sizes: async () =>
      (await onDisk('read', (disk) => disk.sizes()))?.result ?? (await memory.sizes()),
    leaveDevice: async () => {
      standing.value = { kind: 'in-page', why: 'asked' };
      await evenSo(withDisk, async (disk) => {
        for (const name of ['drafts', 'outbox', 'notes'] as const)
          await takeRows(disk, memory, name);
        await disk.clear();
      });
    },
    clear,
    wipe: async () => {
      wiping.abort();
      wiping = new AbortController();
      deps.wipeMark.set(true);
      await memory.clear();
      await finishWipe();
    },
  };
}

interface WritesDeps extends Pick<DeviceTables, 'all'> {
  readonly memory: MemoryTables;
  readonly onDisk: OnDisk;
  readonly wiped: AbortSignal;
}

function createWrites({ memory, onDisk, all, wiped }: WritesDeps): Writes {
  /* Undefined: it did not go, or is not to be done any more. */
  const write = async <Result>(
    work: (disk: DeviceTables) => Promise<Result>,
  ): Promise<{ readonly result: Result } | undefined> => {
    const attempt = async (disk: DeviceTables) =>
      wiped.aborted ? undefined : { result: await work(disk) };
    return wiped.aborted ? undefined : (await onDisk('write', attempt))?.result;
  };
  return {
    wiped,
    put: async (table, row) => {
      const done = await write(async (disk) => {
        await disk.put(table, row);
        memory.rowsOf(table).delete(row.key);
      });
      if (done === undefined && !wiped.aborted) memory.rowsOf(table).set(row.key, row);
    },
    remove: async (table, keys) => {
      if (wiped.aborted) return;
      await memory.remove(table, keys);
      await write((disk) => disk.remove(table, keys));
    },
    change: async (table, work) => {
      const inPage = memory.rowsOf(table);
      const done = await write(async (disk) => {
        // Rows of the page are only there when the device has failed: then they are looked at, too.
        const change = await disk.change(table, (kept) => {
          const wanted = work(merge(kept, inPage));
          return { ...wanted, result: wanted };
        });
        // What the device has now must not be hidden by what the page had.
        for (const { key } of change.put ?? []) inPage.delete(key);
        for (const key of change.remove ?? []) inPage.delete(key);
        return change.result;
      });
      if (done !== undefined) return done.result;
      const rows = wiped.aborted ? [] : await all(table);
      const { put = [], remove = [], result } = work(rows);
      if (wiped.aborted) return result;
      for (const row of put) inPage.set(row.key, row);
      for (const key of remove) inPage.delete(key);
      return result;
    },
  };
}

interface DiskDeps extends Omit<LastingDeps, 'open' | 'clock' | 'wipeMark'> {
  readonly memory: MemoryTables;
  readonly standing: Signal<StorageStanding>;
  readonly withDisk: WithDisk;
}

/* Undefined: it did not go. */
type OnDisk = <Result>(
  kind: 'read' | 'write',
  work: (disk: DeviceTables) => Promise<Result>,
) => Promise<{ readonly result: Result } | undefined>;

function createOnDisk({ memory, standing, withDisk, keepsNothing, makeRoom }: DiskDeps): OnDisk {
  const withRoom: WithDisk = (work) =>
    withDisk((disk) =>
      work(disk).catch(async (error: unknown) => {
        if (!isFull(error) || makeRoom === undefined) throw error;
        await makeRoom(disk);
        return work(disk);
      }),
    );
  const isInPage = (): boolean => tableNames.some((name) => memory.rowsOf(name).size > 0);
  const moveAll = async (): Promise<void> => {
    try {
      for (const name of moveOrder) {
        await withRoom((disk) => moveRows(disk, memory.rowsOf(name), { name, keepsNothing }));
      }
      if (!isInPage() && !keepsNothing()) standing.value = { kind: 'kept' };
    } catch {
      // It still does not go: they stay in the page until something else goes.
    }
  };
  let moving: Promise<void> | undefined;
  return async (kind, work) => {
    if (keepsNothing()) {
      standing.value = { kind: 'in-page', why: 'asked' };
      return undefined;
    }
    try {
      const result = await withRoom(work);
      const { value } = standing;
      // That something can be read says nothing about room.
      const mayGo = kind === 'write' || value.kind === 'kept' || value.why !== 'full';
      if (mayGo && (value.kind === 'in-page' || isInPage())) {
        moving ??= moveAll().finally(() => {
          moving = undefined;
        });
        await moving;
      }
      return { result };
    } catch (error) {
      standing.value = { kind: 'in-page', why: isFull(error) ? 'full' : 'refused' };
      return undefined;
    }
  };
}

/* What a person wrote comes first, what the gateway can say again last. */
const moveOrder = [
  'outbox',
  'drafts',
  'notes',
  'snapshots',
] as const satisfies readonly TableName[];

/* From the page to the device, which works again. */
async function moveRows<Name extends TableName>(
  disk: DeviceTables,
  inPage: Map<string, Rows[Name]>,
  { name, keepsNothing }: { readonly name: Name; readonly keepsNothing: () => boolean },
): Promise<void> {
  if (inPage.size === 0) return;
  if (name === 'snapshots') {
    // One by one: a change would read all that the device has of them.
    for (const row of inPage.values()) {
      if (keepsNothing()) return;
      await disk.put(name, row);
      if (inPage.get(row.key) === row) inPage.delete(row.key);
    }
    return;
  }
  // Looked at within the change: a row that was written to the device meanwhile is no longer among them.
  const moved = await disk.change(name, () => {
    const put = keepsNothing() ? [] : [...inPage.values()];
    return { put, result: put };
  });
  for (const row of moved) if (inPage.get(row.key) === row) inPage.delete(row.key);
}

/* From the device to the page. What the page has is newer. */
async function takeRows<Name extends TableName>(
  disk: DeviceTables,
  memory: MemoryTables,
  name: Name,
): Promise<void> {
  const inPage = memory.rowsOf(name);
  for (const row of await disk.all(name)) if (!inPage.has(row.key)) inPage.set(row.key, row);
}

/* What is to be removed is removed before anything else is done, also by another tab or at the next start. */
function wipedFirst(withDisk: WithDisk, mark: WipeMark): WithDisk {
  let wiping: Promise<void> | undefined;
  const wipe = async (disk: DeviceTables): Promise<void> => {
    await disk.clear();
    mark.set(false);
  };
  return (work) =>
    withDisk(async (disk) => {
      if (mark.isSet()) {
        wiping ??= wipe(disk).finally(() => {
          wiping = undefined;
        });
        await wiping;
      }
      return work(disk);
    });
}

/* What is kept is removed even where nothing is to be kept any more. */
async function evenSo(
  withDisk: WithDisk,
  work: (disk: DeviceTables) => Promise<void>,
): Promise<void> {
  try {
    await withDisk(work);
  } catch {
    // It cannot be had now. What a wipe leaves is marked; one that was never opened has nothing.
  }
}

function merge<Row extends { readonly key: string }>(
  kept: readonly Row[],
  inPage: ReadonlyMap<string, Row>,
): readonly Row[] {
  if (inPage.size === 0) return kept;
  const byKey = new Map(kept.map((row) => [row.key, row]));
  for (const row of inPage.values()) byKey.set(row.key, row);
  return [...byKey.values()];
}
