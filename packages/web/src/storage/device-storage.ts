/*
 * What screens keep on the device: what the gateway said last (snapshots), what was typed and not sent (drafts), and single values (notes).
 *
 * Nothing here throws. Nothing secret is written here: no token, link or code ever comes this way, and signing out empties all of it. What
 * is written goes through a writer, which writes nothing any more after that.
 */
import type { ReadonlySignal } from '@preact/signals';
import type { Clock } from '@clawdfather/kit';
import type { DeviceTables } from './device-tables.ts';
import { createLastingTables, type LastingTables, type StorageStanding } from './lasting-tables.ts';
import { createIdbOpener } from './open-idb.ts';
import type { WipeMark } from './wipe-mark.ts';

export interface Snapshot<Value> {
  readonly value: Value;
  readonly atMs: number;
}

/* `atMs`: when the gateway said it; else now. */
export type WriteSnapshot = (key: string, value: unknown, atMs?: number) => Promise<void>;

export interface DeviceStorage {
  readonly snapshots: {
    /* The type is of the code that wrote it: a key belongs to one reader, and carries a number that grows when its shape changes. */
    read<Value>(key: string): Promise<Snapshot<Value> | undefined>;
  };
  readonly drafts: { read(key: string): Promise<string | undefined> };
  readonly notes: { read(key: string): Promise<unknown> };
  /* For what is asked for, or typed, from now on. What comes after a wipe was another's, and is not written. */
  writer(): Writer;
  readonly standing: ReadonlySignal<StorageStanding>;
  /* For the outbox, and to count (kept-here.ts). */
  readonly tables: DeviceTables;
  /* Everything, at once; also what other tabs wrote. */
  wipe(): Promise<void>;
  /* From now on nothing is kept: what is there moves into the page. */
  leaveDevice(): Promise<void>;
}

export interface Writer {
  readonly snapshot: WriteSnapshot;
  /* An empty one is none. */
  readonly draft: (key: string, text: string) => Promise<void>;
  /* Behind what is there, on a line of its own. */
  readonly addDraft: (key: string, text: string) => Promise<void>;
  readonly note: (key: string, value: unknown) => Promise<void>;
  /* Aborted by the wipe, for what else has to end then. */
  readonly wiped: AbortSignal;
}

/* A part of what a device may have, with room for the app itself; the oldest leave first. */
const snapshotBytesMax = 40 * 1024 * 1024;
/* One that is larger is not worth the room. */
const snapshotBytesEachMax = 4 * 1024 * 1024;
/* The sum is looked at after so much was written. */
const lookAfterBytes = 1024 * 1024;

export interface StorageDeps {
  readonly clock: Clock;
  readonly keepsNothing: () => boolean;
  readonly wipeMark: WipeMark;
}

export function createDeviceStorage(deps: StorageDeps): DeviceStorage {
  const { clock } = deps;
  const tables = createLastingTables({
    ...deps,
    open: createIdbOpener(clock),
    makeRoom: (disk) => forgetOldest(disk, snapshotBytesMax / 2),
  });
  return createStorageOver(tables, clock);
}

export function createStorageOver(
  tables: LastingTables,
  clock: Pick<Clock, 'wallMs'>,
): DeviceStorage {
  let unseenBytes = lookAfterBytes;
  const writer = (): Writer => {
    const { put, remove, change, wiped } = tables.writes();
    return {
      wiped,
      snapshot: async (key, value, atMs = clock.wallMs()) => {
        const bytes = JSON.stringify(value).length;
        if (bytes > snapshotBytesEachMax) return remove('snapshots', [key]);
        await put('snapshots', { key, value, atMs, bytes });
        unseenBytes += bytes;
        if (unseenBytes < lookAfterBytes) return;
        unseenBytes = 0;
        await forgetOldest(tables, snapshotBytesMax);
      },
      draft: (key, text) =>
        text === '' ? remove('drafts', [key]) : put('drafts', { key, text, atMs: clock.wallMs() }),
      addDraft: (key, text) =>
        change('drafts', (rows) => {
          const typed = rows.find((row) => row.key === key)?.text;
          const all = [typed, text].filter(Boolean).join('\n');
          return { put: [{ key, text: all, atMs: clock.wallMs() }], result: undefined };
        }),
      note: (key, value) => put('notes', { key, value }),
    };
  };
  return {
    tables,
    standing: tables.standing,
    snapshots: {
      read: async <Value>(key: string) => {
        const row = await tables.read('snapshots', key);
        return row === undefined ? undefined : { value: row.value as Value, atMs: row.atMs };
      },
    },
    drafts: { read: async (key) => (await tables.read('drafts', key))?.text },
    notes: { read: async (key) => (await tables.read('notes', key))?.value },
    writer,
    wipe: () => tables.wipe(),
    leaveDevice: () => tables.leaveDevice(),
  };
}

async function forgetOldest(tables: DeviceTables, bytesMax: number): Promise<void> {
  const sizes = await tables.sizes();
  let bytes = sizes.reduce((sum, { bytes: each }) => sum + each, 0);
  const leaving: string[] = [];
  for (const { key, bytes: each } of sizes) {
    if (bytes <= bytesMax) break;
    leaving.push(key);
    bytes -= each;
  }
  if (leaving.length > 0) await tables.remove('snapshots', leaving);
}
