/*
 * What becomes of a turn while it waits: it is moved, its prompt is changed, or it has waited for too long. Of one that runs already, or has
 * ended, none of it is true, and the decision is undefined.
 */
import { compareSpots, type QueueSpot } from '../queue/queue-order.ts';
import type { LoadClass, ThreadChange, ThreadRows, TurnRow } from '../rows.ts';
import { nextTurn } from '../turn/next-turn.ts';
import type { JsonObject } from '../wire/json-rpc.ts';
import { Draft } from './draft.ts';

function waitingIn({ queue }: ThreadRows, turnId: string): TurnRow | undefined {
  return queue.find(({ id }) => id === turnId);
}

/* Where it stands there is also where it stands among the turns of its own thread. */
export function moveTurn(
  rows: ThreadRows,
  { turnId, spot }: { readonly turnId: string; readonly spot: QueueSpot },
  atMs: number,
): ThreadChange | undefined {
  if (waitingIn(rows, turnId) === undefined) return undefined;
  const draft = new Draft(rows, atMs);
  draft.queue = draft.queue
    .map((turn) => (turn.id === turnId ? { ...turn, ...spot } : turn))
    .toSorted(compareSpots);
  draft.event('status', { event: 'moved' }, { turnId });
  return draft.done();
}

export interface TurnEdit {
  readonly turnId: string;
  readonly prompt?: readonly JsonObject[] | undefined;
  readonly loadClass?: LoadClass | undefined;
  /* Null: at once. */
  readonly notBeforeMs?: number | null | undefined;
}

export function editTurn(
  rows: ThreadRows,
  { turnId, prompt, loadClass, notBeforeMs }: TurnEdit,
  atMs: number,
): ThreadChange | undefined {
  const waiting = waitingIn(rows, turnId);
  if (waiting === undefined) return undefined;
  const edited: TurnRow = {
    ...waiting,
    ...(prompt && { prompt }),
    ...(loadClass && { loadClass }),
    ...(notBeforeMs !== undefined && { notBeforeMs: notBeforeMs ?? undefined }),
  };
  const draft = new Draft(rows, atMs);
  draft.queue = draft.queue.map((turn) => (turn === waiting ? edited : turn));
  draft.event('status', { event: 'edited' }, { turnId });
  return draft.done();
}

/* `message`: which lane had no room, for people. */
export function expireTurn(
  rows: ThreadRows,
  { turnId, message }: { readonly turnId: string; readonly message: string },
  atMs: number,
): ThreadChange | undefined {
  const waiting = waitingIn(rows, turnId);
  // One that another of its thread holds up waits for no lane.
  if (waiting?.readyAtMs === undefined) return undefined;
  const step = nextTurn(waiting, { type: 'expired', message });
  if (step.outcome !== 'ended') return undefined;
  const draft = new Draft(rows, atMs);
  draft.queue = draft.queue.filter((turn) => turn !== waiting);
  const { status, result } = step;
  draft.endTurn({ ...waiting, readyAtMs: undefined, status, result, endedAtMs: atMs });
  return draft.done();
}
