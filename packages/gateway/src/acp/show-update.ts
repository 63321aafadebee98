/*
 * An event of a thread as an update of JSON-RPC. Every event is one update, so the numbers have no holes; older clients get the same ones under
 * the names that they know.
 */
import type { EventRow, TurnRow } from '@clawdfather/agents';
import type { SessionUpdate, UpdateEvent } from '@clawdfather/protocol/acp';
import type { QueuePlace } from '@clawdfather/threads';
import { formatTime } from '../http/format-time.ts';
import { errorOf, showPlace, statusFor } from './show-task.ts';

type Shown = Pick<SessionUpdate, 'type' | 'event'>;

const ends = ['completed', 'failed', 'cancelled', 'interrupted'] as const;
type End = (typeof ends)[number];

export interface UpdateShown {
  readonly isOlder: boolean;
  /* Of a turn that waits. */
  readonly place?: QueuePlace | undefined;
}

export function showUpdate(
  threadId: string,
  row: EventRow,
  { isOlder, place }: UpdateShown,
): SessionUpdate {
  const { seq, turnId, payload, atMs } = row;
  const end = endOf(row);
  return {
    seq,
    threadId,
    turnId: turnId ?? null,
    ...(isOlder ? showForOlder(row) : { type: row.type, event: eventOf(row) }),
    at: formatTime(atMs),
    queue: place === undefined ? null : showPlace(place),
    progress: progressOf(row),
    delta: deltaOf(row),
    result: end === undefined ? null : resultOf(end, payload['result'], isOlder),
    payload,
  };
}

/* How the turn ended, if this is its end. */
export function endOf({ type, payload }: EventRow): End | undefined {
  return type === 'status' ? ends.find((end) => end === payload['event']) : undefined;
}

function eventOf(row: EventRow): UpdateEvent {
  if (row.type === 'delta') return 'delta';
  if (row.type !== 'status') return 'running';
  const end = endOf(row);
  // What was interrupted has failed; the result tells the two apart.
  if (end !== undefined) return end === 'interrupted' ? 'failed' : end;
  const { event } = row.payload;
  return event === 'queued' || event === 'started' ? event : 'running';
}

function showForOlder(row: EventRow): Shown {
  const { type, payload } = row;
  if (type === 'approval') {
    const isOpen = payload['state'] === 'open';
    const event = isOpen ? 'task.permission_requested' : 'task.permission_resolved';
    return { type: 'task', event };
  }
  const event = eventOf(row);
  switch (type === 'status' ? event : undefined) {
    case 'queued':
      return { type: 'task', event: 'task.selected' };
    case 'started':
      return { type: 'task', event: 'task.started' };
    case 'completed':
      return { type: 'task', event: 'task.completed' };
    case 'cancelled':
      return { type: 'task', event: 'task.cancelled' };
    case 'failed':
      return { type: 'task', event: isRejected(payload) ? 'task.rejected' : 'task.failed' };
    default:
      return { type, event };
  }
}

/* It was never begun: the queue was full, or it waited for too long. */
function isRejected({ result }: EventRow['payload']): boolean {
  return codeOf(result) === 'OPENCLAW_GATEWAY_BUSY';
}

function fieldOf(value: unknown, name: string): string | undefined {
  const field: unknown =
    typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
  return typeof field === 'string' ? field : undefined;
}

function codeOf(result: unknown): string {
  return fieldOf(result, 'code') ?? 'error';
}

function resultOf(end: TurnRow['status'], result: unknown, isOlder: boolean) {
  const error = errorOf(end, fieldOf(result, 'message'));
  const reason = fieldOf(result, 'cause') ?? null;
  const status = statusFor(end, isOlder);
  return { output: null, code: codeOf(result), error, reason, status };
}

function progressOf(row: EventRow): SessionUpdate['progress'] {
  const { type, payload } = row;
  if (type === 'approval' || type === 'question') {
    return payload['state'] === 'open'
      ? { stage: 'waiting', message: 'the agent waits for an answer' }
      : { stage: 'working', message: 'the agent has its answer' };
  }
  if (type !== 'status') return null;
  const end = endOf(row);
  if (end !== undefined) return { stage: 'ended', message: end };
  if (payload['event'] === 'queued') return { stage: 'queued', message: 'waits for its turn' };
  if (payload['event'] === 'started') return { stage: 'starting', message: 'it begins' };
  const tried = reachOf(payload['progress']);
  if (tried !== undefined) return tried;
  if (payload['event'] !== 'cancelling') return null;
  return { stage: 'cancelling', message: 'the agent was asked to stop' };
}

/* A try for a host that does not answer has failed, or it has answered. */
function reachOf(progress: unknown): NonNullable<SessionUpdate['progress']> | undefined {
  const stage = fieldOf(progress, 'stage');
  if (stage === 'reached') {
    return { stage: 'starting', message: 'the host answers; the agent is being started' };
  }
  const message = fieldOf(progress, 'message');
  return stage === 'reaching' && message !== undefined ? { stage, message } : undefined;
}

function deltaOf({ type, payload: { role, text } }: EventRow): string | null {
  return type === 'delta' && role === 'agent' && typeof text === 'string' ? text : null;
}
