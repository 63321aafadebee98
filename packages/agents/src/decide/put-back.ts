/*
 * A turn that was admitted goes back to the front of the queue of its thread: nothing of it was sent, and nothing stays bound to the agent or
 * the gateway that it was for.
 */
import { compareSpots, spotBefore } from '../queue/queue-order.ts';
import type { TurnRow } from '../rows.ts';
import type { Draft } from './draft.ts';

/* Of the turn that is running, or was. `message`: for people. */
export function putBack(draft: Draft, message: string): void {
  if (draft.turn === undefined) return;
  const {
    promptCall: _call,
    promptEnd: _end,
    runId: _run,
    deadlineAtMs: _at,
    instanceId: _instance,
    reaching: _reaching,
    ...kept
  } = draft.turn;
  const again = { ...kept, status: 'queued', requeuedCount: kept.requeuedCount + 1 } as const;
  draft.queue = [inFront(again, draft.queue[0]), ...draft.queue];
  draft.turn = undefined;
  draft.event('status', { event: 'queued', message }, { turnId: kept.id });
}

/* It was admitted before those that wait now, also if one of them was moved to the front meanwhile. */
function inFront(turn: TurnRow, first: TurnRow | undefined): TurnRow {
  if (first === undefined || compareSpots(turn, first) < 0) return turn;
  return { ...turn, ...spotBefore(first, undefined) };
}
