/*
 * What a person is told of (notices), and all that needs them now (the inbox).
 */
import { z } from 'zod';
import { hourMs, idParams, idSchema, timeSchema } from './common.ts';
import { endpoints } from './endpoint.ts';

const noticeClassSchema = z.enum(['approval', 'question', 'done', 'failed', 'host_lost']);

const deliverySchema = z.object({
  channel: z.string(),
  /* Of a push; each device that has subscribed is told on its own. */
  device_id: idSchema.nullable(),
  state: z.enum(['pending', 'sending', 'sent', 'failed', 'skipped']),
  attempts: z.int(),
  /* Why it was not sent, or not yet. */
  reason: z.string().nullable(),
  settled_at: timeSchema.nullable(),
});

export const noticeSchema = z
  .object({
    id: idSchema,
    class: noticeClassSchema,
    thread_id: z.string().nullable(),
    /* The ask, approval, turn or connection that it is about. */
    about: z.string(),
    detail: z.record(z.string(), z.unknown()),
    created_at: timeSchema,
    seen_at: timeSchema.nullable(),
    resolved_at: timeSchema.nullable(),
    /* Why it wants nothing more. */
    resolution: z.string().nullable(),
    deliveries: z.array(deliverySchema),
  })
  .meta({ id: 'Notice' });

const inboxThreadSchema = z
  .object({
    id: z.string(),
    title: z.string(),
    agent: z.string(),
    connection_id: z.string().nullable(),
  })
  .meta({ id: 'InboxThread' });

const noticed = {
  notice_id: idSchema,
  since: timeSchema,
  thread: inboxThreadSchema.nullable(),
};

const inboxSchema = z
  .object({
    /* What happens after it is in `GET /api/v1/events?after=SEQ`. */
    seq: z.int(),
    /* The moment, by the gateway's clock: ages and what is left until an expiry are counted from it. */
    at: timeSchema,
    counts: z.object({
      approvals: z.int(),
      questions: z.int(),
      failed: z.int(),
      host_keys: z.int(),
      hosts_lost: z.int(),
      holds: z.int(),
      done: z.int(),
      working: z.int(),
      waiting: z.int(),
      /* What a badge shows: the first four. */
      needs_you: z.int(),
    }),
    /* Oldest first. */
    approvals: z.array(
      z.object({
        ...noticed,
        kind: z.enum(['command', 'ask']),
        /* Of the approval, or of the ask. */
        id: z.string(),
        /* What is asked, in one line, with hidden characters made visible. */
        title: z.string(),
        host: z.string().nullable(),
        /* Who asks: by the name of its token or device where it has one. */
        requester: z.string().nullable(),
        expires_at: timeSchema.nullable(),
      }),
    ),
    questions: z.array(z.object({ ...noticed, id: z.string(), title: z.string() })),
    /* Newest first, from here on. */
    failed: z.array(
      z.object({
        ...noticed,
        turn_id: z.string(),
        code: z.string().nullable(),
        cause: z.string().nullable(),
      }),
    ),
    host_keys: z.array(
      z.object({
        connection_id: z.string(),
        label: z.string(),
        host: z.string(),
        since: timeSchema.nullable(),
      }),
    ),
    hosts_lost: z.array(
      z.object({ ...noticed, connection_id: z.string(), code: z.string().nullable() }),
    ),
    /* What keeps the whole gateway from going on; shown to its owner. */
    holds: z.array(z.object({ reason: z.string() })),
    done: z.array(z.object({ ...noticed, turn_id: z.string() })),
    working: z.array(
      z.object({
        thread: inboxThreadSchema,
        turn_id: z.string(),
        since: timeSchema.nullable(),
        /* How many of its events you have not looked at. */
        new_events: z.int(),
        /* What a tool did last in it; null: none did. */
        last_step: z.object({ title: z.string(), at: timeSchema }).nullable(),
      }),
    ),
    /* Threads that have gone on since you looked at them, newest first: your receipts. Looked for among your newest 200. */
    went_on: z.array(
      z.object({
        thread: inboxThreadSchema,
        status: z.enum(['ready', 'queued', 'running']),
        /* What its receipt begins after. */
        seen_seq: z.int(),
        new_events: z.int(),
        at: timeSchema,
      }),
    ),
  })
  .meta({ id: 'Inbox' });

export const inboxEndpoints = endpoints({
  get: {
    method: 'GET',
    path: '/api/v1/inbox',
    summary:
      'What needs you, what is done and was not looked at, and what is under way, in one moment',
    access: 'read',
    query: z.strictObject({
      /* Of each group; the counts are of all. */
      limit: z.coerce.number().int().min(1).max(100).default(50),
    }),
    answer: inboxSchema,
  },
});

export const noticesEndpoints = endpoints({
  list: {
    method: 'GET',
    path: '/api/v1/notices',
    summary: 'What you were told of, newest first, and on which channels',
    access: 'read',
    query: z.strictObject({
      open: z.enum(['true', 'false']).default('false'),
      /* The id of the last one of the page before. */
      before: idSchema.optional(),
      limit: z.coerce.number().int().min(1).max(100).default(20),
    }),
    answer: z.object({ items: z.array(noticeSchema), has_more: z.boolean() }),
    errors: ['not_found'],
  },
  see: {
    method: 'POST',
    path: '/api/v1/notices/:id/seen',
    summary: 'You have seen it. What only wanted to be seen is out of the inbox',
    access: 'run',
    params: idParams,
    answer: noticeSchema,
    errors: ['not_found'],
  },
  test: {
    method: 'POST',
    path: '/api/v1/notices/test',
    summary:
      'Send a test to every channel of the settings, and say what came of it; only for the owner',
    access: 'admin',
    answer: z.object({
      items: z.array(
        z.object({
          channel: z.string(),
          outcome: z.enum(['sent', 'failed']),
          reason: z.string().nullable(),
          duration_ms: z.int(),
        }),
      ),
    }),
    errors: ['forbidden'],
    limit: { hitsMax: 30, windowMs: hourMs, per: 'account' },
    takesLong: true,
  },
});
