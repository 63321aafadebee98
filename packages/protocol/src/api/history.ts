/*
 * Reading a thread back: its newest page first, then backwards.
 */
import { z } from 'zod';
import { idParams, idSchema, timeSchema } from './common.ts';
import { endpoints } from './endpoint.ts';

/* Of one page; it ends earlier when it is full. */
const pageEventsMax = 2_000;
const seqMax = Number.MAX_SAFE_INTEGER;
/* Of one answer, in characters. */
const pieceMax = 262_144;

const facts = z.record(z.string(), z.unknown());
const role = z.enum(['agent', 'thought', 'user']);

const placed = {
  turn_id: z.string().nullable(),
  first_seq: z.int(),
  last_seq: z.int(),
  at: timeSchema,
  last_at: timeSchema,
  /* Events of which it shows only a part, with the size of their whole payload as JSON. */
  cut: z.array(z.object({ seq: z.int(), bytes: z.int() })),
};

export const blockSchema = z
  .discriminatedUnion('kind', [
    z.object({
      kind: z.literal('text'),
      ...placed,
      role,
      message_id: z.string().nullable(),
      text: z.string(),
      is_complete: z
        .boolean()
        .describe('false: still being written, or its end is on a newer page'),
      begins_seq: z.int().nullable().describe('its first event, perhaps on an older page'),
      bytes: z.int().nullable().describe('of all of it, as UTF-8'),
      sha256: z.string().nullable(),
    }),
    z.object({ kind: z.literal('user'), ...placed, content: z.array(z.unknown()) }),
    z.object({ kind: z.literal('content'), ...placed, role, content: z.unknown() }),
    z.object({
      kind: z.literal('tool'),
      ...placed,
      tool_call_id: z.string(),
      call: facts.describe('of each member the newest'),
      is_begun: z.boolean().describe('false: its beginning is on an older page'),
      updates: z.int(),
    }),
    z.object({ kind: z.literal('plan'), ...placed, plan: facts, updates: z.int() }),
    z.object({ kind: z.literal('event'), ...placed, type: z.string(), payload: facts }),
  ])
  .meta({ id: 'Block' });

export const seqRangeSchema = z.object({ from: z.int(), to: z.int() });

export const historyEndpoints = endpoints({
  page: {
    method: 'GET',
    path: '/api/v1/threads/:id/history',
    summary:
      'A conversation backwards, as blocks: the newest page, or what is below a number. At most 64 kB compressed; large output by reference',
    access: 'read',
    params: idParams,
    query: z.strictObject({
      before: z.coerce.number().int().min(1).max(seqMax).optional(),
      /* In events. */
      limit: z.coerce.number().int().min(1).max(pageEventsMax).default(1_000),
    }),
    answer: z.object({
      thread_id: idSchema,
      blocks: z.array(blockSchema),
      /* The events that it is made of; null where there are none. */
      first_seq: z.int().nullable(),
      last_seq: z.int().nullable(),
      /* There is an older page: ask with `before` = `first_seq`. */
      has_more: z.boolean(),
      /* Events that should be here and are not. */
      gaps: z.array(seqRangeSchema),
      /* The number of the newest event of the thread. */
      newest_seq: z.int(),
    }),
    errors: ['not_found'],
  },
  event: {
    method: 'GET',
    path: '/api/v1/threads/:id/events/:seq',
    summary: 'One event with all of its payload, as pieces of its JSON',
    access: 'read',
    params: z.strictObject({
      id: idSchema,
      seq: z.coerce.number().int().min(1).max(seqMax),
    }),
    query: z.strictObject({
      /* In characters (code points) of the JSON. */
      offset: z.coerce.number().int().min(0).max(1_000_000_000).default(0),
      limit: z.coerce.number().int().min(1).max(pieceMax).default(65_536),
    }),
    answer: z.object({
      seq: z.int(),
      turn_id: z.string().nullable(),
      type: z.string(),
      at: timeSchema,
      /* Of all of it. */
      characters: z.int(),
      offset: z.int(),
      json: z.string(),
      /* Null: that was the last piece. */
      next_offset: z.int().nullable(),
    }),
    errors: ['not_found'],
  },
});
