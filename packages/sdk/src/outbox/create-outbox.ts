/*
 * What people write while there may be no network: kept first, then sent, in order for each thread, each once.
 *
 *   const outbox = createOutbox({ store, wire: createOutboxWire(client), clock, random, onChange });
 *   await outbox.write({ kind: 'known', id: threadId }, { kind: 'message', text });
 *   await outbox.flush();
 *
 * A flush is to be asked for after a write, when the network is back, and when the page is seen again. A page that is killed in the middle of
 * one leaves rows as `sent`; the next flush takes them for `unknown`, and the gateway, which knows their keys, does nothing twice.
 */
import type { Clock, Random } from '@clawdfather/kit';
import { SdkError } from '../errors.ts';
import { isUnsettled, isWaiting, nextOutboxRow, type OutboxEvent } from './next-outbox-row.ts';
import type { OutboxItem, OutboxRow, OutboxStore, OutboxThread } from './outbox-store.ts';
import type { Attempt, OutboxWire } from './outbox-wire.ts';

export interface OutboxDeps {
  readonly store: OutboxStore;
  readonly wire: OutboxWire;
  readonly clock: Pick<Clock, 'wallMs'>;
  readonly random: Pick<Random, 'id'>;
  /* At every change of a row. */
  readonly onChange?: (row: OutboxRow) => void;
}

export interface Outbox {
  rows(): Promise<readonly OutboxRow[]>;
  /* Kept when it resolves, and not sent yet. Throws `outbox-full`. */
  write(thread: OutboxThread, item: OutboxItem): Promise<OutboxRow>;
  /* A thread that does not exist yet, to write to: `{ kind: 'new', key }`. */
  begin(item: Extract<OutboxItem, { kind: 'thread' }>): Promise<OutboxRow>;
  /* Sends what waits. `stopped`: nobody answers, or not now; ask again later. Throws when the token is no longer good. */
  flush(): Promise<'done' | 'stopped'>;
  /* The agent has begun with this turn: its row is done with. */
  taken(turnId: string): Promise<void>;
  again(key: string): Promise<void>;
  /* Of a row that never left the device, or is settled. False: it may have arrived; cancel it instead. */
  remove(key: string): Promise<boolean>;
}

/* More than anybody writes without a network, and little enough to show. */
const rowsMax = 50;
/* What was written so long ago is not said unasked. */
const expiresMs = 48 * 60 * 60_000;

export function createOutbox(deps: OutboxDeps): Outbox {
  const { store, clock, random } = deps;
  const write = async (row: Pick<OutboxRow, 'key' | 'thread' | 'item'>): Promise<OutboxRow> => {
    const fresh = { ...row, writtenAtMs: clock.wallMs(), state: { kind: 'written' } } as const;
    const appended = await store.append(fresh, rowsMax);
    if (appended !== undefined) return appended;
    throw new SdkError('outbox-full', `${rowsMax} messages wait to be sent`);
  };
  const find = async (key: string): Promise<OutboxRow | undefined> =>
    (await store.rows()).find((row) => row.key === key);
  return {
    rows: () => store.rows(),
    write: (thread, item) => write({ key: random.id(), thread, item }),
    begin: (item) => {
      const key = random.id();
      return write({ key, thread: { kind: 'new', key }, item });
    },
    flush: () => store.withLock(() => flushAll(deps)),
    taken: async (turnId) => {
      const rows = await store.rows();
      const row = rows.find(({ state }) => state.kind === 'accepted' && state.id === turnId);
      if (row !== undefined) await change(deps, row, { kind: 'taken' });
    },
    again: async (key) => {
      const row = await find(key);
      // Its age counts from now, or the next flush would take it for expired again.
      const anew = row && { ...row, writtenAtMs: clock.wallMs() };
      if (anew !== undefined) await change(deps, anew, { kind: 'again' });
    },
    remove: (key) =>
      store.withLock(async () => {
        const row = await find(key);
        const mayHaveArrived = row?.state.kind === 'unknown' || row?.state.kind === 'sent';
        if (!mayHaveArrived) await store.remove(key);
        return !mayHaveArrived;
      }),
  };
}

/* The one place that changes a row: stored first, then told. */
async function change(deps: OutboxDeps, row: OutboxRow, event: OutboxEvent): Promise<OutboxRow> {
  const state = nextOutboxRow(row.state, event);
  if (state === row.state) return row;
  const changed = { ...row, state };
  await deps.store.replace(changed);
  deps.onChange?.(changed);
  return changed;
}

async function flushAll(deps: OutboxDeps): Promise<'done' | 'stopped'> {
  await takeUp(deps);
  /* Threads whose next message finds no room in the queue. */
  const crowded = new Set<string>();
  // Rows that are written meanwhile are part of it, so they are read anew after each.
  for (;;) {
    const rows = await deps.store.rows();
    const next = rows.find(
      (row) => isWaiting(row.state) && !crowded.has(threadOf(row)) && isFirst(row, rows),
    );
    if (next === undefined) return crowded.size === 0 ? 'done' : 'stopped';
    const attempt = await sendRow(deps, next, rows);
    if (attempt.kind === 'unanswered') return 'stopped';
    if (attempt.kind !== 'deferred') continue;
    // A full queue holds up this thread alone: what is behind it may be a turn that is stopped, which makes room.
    if (attempt.code !== 'queue_full') return 'stopped';
    crowded.add(threadOf(next));
  }
}

/* What a sender that died has left, and what is too old. We have the lock, so nobody else is sending. */
async function takeUp(deps: OutboxDeps): Promise<void> {
  const oldestMs = deps.clock.wallMs() - expiresMs;
  for (const row of await deps.store.rows()) {
    const known = await change(deps, row, { kind: 'unanswered' });
    if (known.writtenAtMs < oldestMs) await change(deps, known, { kind: 'aged' });
  }
}

function isFirst(row: OutboxRow, rows: readonly OutboxRow[]): boolean {
  const thread = threadOf(row);
  return !rows.some(
    (other) => other.order < row.order && isUnsettled(other.state) && threadOf(other) === thread,
  );
}

function threadOf({ thread }: OutboxRow): string {
  return thread.kind === 'known' ? thread.id : thread.key;
}

async function sendRow(
  deps: OutboxDeps,
  row: OutboxRow,
  rows: readonly OutboxRow[],
): Promise<Attempt> {
  const target = targetOf(row, rows);
  if (target.kind === 'refused') {
    await change(deps, row, target);
    return target;
  }
  // Stored before it goes out: whoever finds it later knows that it may have arrived.
  const sent = await change(deps, row, { kind: 'send' });
  const attempt = await target.send(deps.wire);
  await change(deps, sent, attempt);
  return attempt;
}

type Target =
  | { readonly kind: 'call'; readonly send: (wire: OutboxWire) => Promise<Attempt> }
  | { readonly kind: 'refused'; readonly code: string; readonly message: string };

/* What the row asks for, now that those before it are settled. */
function targetOf({ key, thread, item }: OutboxRow, rows: readonly OutboxRow[]): Target {
  const idOf = (of: string): string | undefined => {
    const state = rows.find((row) => row.key === of)?.state;
    return state?.kind === 'accepted' || state?.kind === 'taken' ? state.id : undefined;
  };
  const gone = (message: string): Target => ({ kind: 'refused', code: 'not_found', message });
  switch (item.kind) {
    case 'thread':
      return { kind: 'call', send: (wire) => wire.createThread(key, item) };
    case 'message': {
      const id = thread.kind === 'known' ? thread.id : idOf(thread.key);
      if (id === undefined) return gone('its conversation could not be begun');
      return { kind: 'call', send: (wire) => wire.prompt(key, id, item) };
    }
    case 'cancel': {
      const id = 'turnId' in item ? item.turnId : idOf(item.ofKey);
      if (id === undefined) return gone('what it cancels was never sent');
      return { kind: 'call', send: (wire) => wire.cancel(id) };
    }
  }
}
