/*
 * The queue as the API shows it.
 */
import type { AnswerOf, Api } from '@clawdfather/protocol/api';
import type { LaneView, QueuedTurn, QueuePlace, QueueReason } from '@clawdfather/threads';
import { formatTime } from '../http/format-time.ts';

type QueueAnswer = AnswerOf<Api['queue']['list']>;
type PlaceAnswer = Pick<QueueAnswer['items'][number], 'position' | 'ahead' | 'reason'>;

export function showPlace({ position, ahead, reason }: QueuePlace): PlaceAnswer {
  return { position, ahead, reason: showReason(reason) };
}

function showReason({ code, message, ...numbers }: QueueReason): PlaceAnswer['reason'] {
  const { active, activeMax, atMs, availableBytes, floorBytes } = numbers;
  return {
    code,
    message,
    ...(activeMax === undefined ? {} : { active, active_max: activeMax }),
    ...(atMs === undefined ? {} : { at: formatTime(atMs) }),
    ...(floorBytes === undefined
      ? {}
      : { available_bytes: availableBytes, floor_bytes: floorBytes }),
  };
}

export function showQueued(turn: QueuedTurn): QueueAnswer['items'][number] {
  return {
    turn_id: turn.turnId,
    thread_id: turn.threadId,
    agent: turn.agent,
    priority: turn.priority,
    queued_at: formatTime(turn.queuedAtMs),
    not_before: formatTime(turn.notBeforeMs),
    ...showPlace(turn),
  };
}

export function showLane(view: LaneView): QueueAnswer['lanes'][number] {
  const { lane, agent, active, waiting, limits, oldestQueuedAtMs } = view;
  return {
    lane,
    agent: agent ?? null,
    active,
    active_max: limits.activeMax,
    waiting,
    waiting_max: limits.waitingMax,
    wait_ms_max: limits.waitMsMax,
    oldest_queued_at: formatTime(oldestQueuedAtMs),
  };
}
