/*
 * Which rows of the outbox belong to a thread, and which have done their work. Pure.
 */
import type { OutboxRow } from '@clawdfather/sdk';

/* What was sent is in its conversation after a moment; a row that nothing took away is old then. */
const passedMs = 48 * 60 * 60_000;

/* The id of the thread that the row with this key has made. */
export function threadIdOf(key: string, rows: readonly OutboxRow[]): string | undefined {
  const state = rows.find((row) => row.key === key)?.state;
  return state?.kind === 'accepted' || state?.kind === 'taken' ? state.id : undefined;
}

/* By its id, or by the key of the row that makes it. */
export function isOfThread(
  { thread, item }: OutboxRow,
  id: string,
  rows: readonly OutboxRow[],
): boolean {
  if (item.kind === 'cancel') return false;
  if (thread.kind === 'known') return thread.id === id;
  return thread.key === id || threadIdOf(thread.key, rows) === id;
}

/* The gateway may show the turn before its answer is here: then only the id of the message tells whose it is. */
export function hasBecome(
  { key, item, state }: OutboxRow,
  turn: { readonly id: string; readonly client_message_id?: string | null | undefined },
): boolean {
  if (item.kind !== 'message') return false;
  return turn.client_message_id === key || ('id' in state && state.id === turn.id);
}

/* Nobody needs to see it any more, and no other row needs what it knows. */
export function isPassed(row: OutboxRow, rows: readonly OutboxRow[], nowMs: number): boolean {
  const { key, item, state, writtenAtMs } = row;
  const isSettled = state.kind === 'accepted' || state.kind === 'taken';
  if (!isSettled && state.kind !== 'refused') return false;
  if (item.kind === 'cancel') return true;
  if (item.kind === 'thread') {
    return (
      isSettled &&
      !rows.some((other) => other.key !== key && 'key' in other.thread && other.thread.key === key)
    );
  }
  return state.kind === 'taken' || nowMs - writtenAtMs > passedMs;
}

/* A conversation that the gateway does not have yet, with the first thing that is to be said in it. */
export interface Unbegun {
  readonly key: string;
  /* Where it is to be, and with what. */
  readonly thread: Extract<OutboxRow['item'], { kind: 'thread' }>;
  readonly text: string;
  /* Of messages with files: what the device keeps of those. */
  readonly notes: readonly string[];
  readonly state: OutboxRow['state'];
}

export function unbegunOf(rows: readonly OutboxRow[]): readonly Unbegun[] {
  return rows.flatMap(({ key, item, state }) => {
    if (item.kind !== 'thread' || state.kind === 'accepted' || state.kind === 'taken') return [];
    const messages = messagesOf(key, rows).flatMap((row) =>
      row.item.kind === 'message' ? [row.item] : [],
    );
    const text = messages.map((message) => message.text).join('\n');
    const notes = messages.flatMap(({ note }) => (note === undefined ? [] : [note]));
    return [{ key, thread: item, text, notes, state }];
  });
}

/* What is to be said in the conversation that the row with this key makes. */
export function messagesOf(key: string, rows: readonly OutboxRow[]): readonly OutboxRow[] {
  return rows.filter(
    ({ thread, item }) => item.kind === 'message' && thread.kind === 'new' && thread.key === key,
  );
}
