/*
 * The queue as JSON, in the shapes that docs/cli-json.md promises to keep.
 */
import type { Json } from '../render/run-json.ts';
import type { QueueAnswer, QueuedTurn } from './thread-types.ts';

export function queueJson({ lanes, items, total }: QueueAnswer): Json {
  return {
    lanes: lanes.map((lane) => ({
      lane: lane.lane,
      agent: lane.agent,
      active: lane.active,
      activeMax: lane.active_max,
      waiting: lane.waiting,
      waitingMax: lane.waiting_max,
      waitMsMax: lane.wait_ms_max,
      oldestQueuedAt: lane.oldest_queued_at,
    })),
    waiting: items.map((turn) => queuedTurnJson(turn)),
    total,
  };
}

/* `isGone`: it does not wait any more. */
export function queuedTurnJson(
  turn: QueuedTurn,
  { isGone = false } = {},
): { readonly [name: string]: Json } {
  return {
    turnId: turn.turn_id,
    threadId: turn.thread_id,
    agent: turn.agent,
    position: isGone ? null : turn.position,
    ahead: isGone ? null : turn.ahead,
    priority: turn.priority,
    queuedAt: turn.queued_at,
    notBefore: turn.not_before,
    reason: isGone ? null : { code: turn.reason.code, message: turn.reason.message },
  };
}
