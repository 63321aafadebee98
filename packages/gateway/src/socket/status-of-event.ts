/*
 * Where a turn stands after an event, in the three words that a chat needs. Pure.
 */
import type { EventRow } from '@clawdfather/agents';

export type ChatStatus = 'queued' | 'thinking' | 'done';

const statuses: Readonly<Record<string, ChatStatus>> = {
  queued: 'queued',
  started: 'thinking',
  completed: 'done',
  failed: 'done',
  cancelled: 'done',
  interrupted: 'done',
};

/* Undefined: the event does not change it. */
export function statusOfEvent({ type, payload }: Pick<EventRow, 'type' | 'payload'>) {
  const { event } = payload;
  return type === 'status' && typeof event === 'string' && Object.hasOwn(statuses, event)
    ? statuses[event]
    : undefined;
}
