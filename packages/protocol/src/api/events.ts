/*
 * Everything that happens in an account, as one numbered stream; and how far its threads were looked at.
 */
import { z } from 'zod';
import { idParams, timeSchema } from './common.ts';
import { endpoints } from './endpoint.ts';

/* A proxy's usual patience is 60 s. */
const waitMsMax = 55_000;
const eventsMax = 500;

export const accountEventTypes = [
  'thread_created',
  'thread_changed',
  'turn_queued',
  'turn_changed',
  'turn_started',
  'turn_ended',
  'ask_opened',
  'ask_closed',
  'approval_opened',
  'approval_closed',
  'run_started',
  'run_ended',
  'session_started',
  'session_ended',
  'connection_tested',
  'connection_changed',
  'device_added',
  'device_changed',
  'device_removed',
  'login_code_changed',
  'seen',
  'notice',
  'notice_resolved',
] as const;

export const accountEventSchema = z
  .object({
    seq: z.int(),
    type: z.enum(accountEventTypes),
    thread_id: z.string().nullable(),
    /* The turn, ask, run … that it is about. */
    subject_id: z.string(),
    payload: z.record(z.string(), z.unknown()),
    at: timeSchema,
  })
  .meta({ id: 'AccountEvent' });

/* What a reader has missed for good: take a snapshot. */
export const eventGapSchema = z
  .object({
    from: z.int(),
    to: z.int(),
    /* `trimmed`: removed for their age. `ahead`: the number is of a future that was undone, by a restored backup. */
    reason: z.enum(['trimmed', 'ahead']),
  })
  .meta({ id: 'EventGap' });

export const eventsEndpoints = endpoints({
  list: {
    method: 'GET',
    path: '/api/v1/events',
    summary:
      'What happened in your account after a number: a page, which waits for the first event if asked to; or with Accept: text/event-stream everything as it comes, resumed by Last-Event-ID',
    access: 'read',
    query: z.strictObject({
      /* `now`: what comes. */
      after: z.union([z.literal('now'), z.coerce.number().int().min(0)]).default(0),
      limit: z.coerce.number().int().min(1).max(eventsMax).default(100),
      wait_ms: z.coerce.number().int().min(0).max(waitMsMax).default(0),
    }),
    answer: z.object({
      items: z.array(accountEventSchema),
      /* Of the newest event there is. */
      last_seq: z.int(),
      /* Between what was asked for and the first item. */
      gap: eventGapSchema.nullable(),
    }),
    takesLong: true,
  },
});

export const seenEndpoints = endpoints({
  mark: {
    method: 'POST',
    path: '/api/v1/threads/:id/seen',
    summary:
      'You have looked at a thread up to this event. It only grows, and holds on all your devices',
    access: 'run',
    params: idParams,
    body: z.strictObject({ seq: z.int().min(0) }),
    answer: z.object({ seen_seq: z.int() }),
    errors: ['not_found'],
  },
});
