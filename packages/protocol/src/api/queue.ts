/*
 * The one queue of turns: what waits, where and why; and what can be changed of it meanwhile.
 */
import { z } from 'zod';
import { idParams, idSchema, timeSchema } from './common.ts';
import { endpoints } from './endpoint.ts';
import { prioritySchema, queuePlaceSchema } from './queue-place.ts';
import { loadClassSchema, promptBlocksSchema, promptTextSchema, turnSchema } from './threads.ts';

const itemsMax = 100;

export const laneSchema = z
  .object({
    lane: z.enum(['agent', 'account', 'gateway']),
    /* Which agent's lane it is. */
    agent: z.string().nullable(),
    active: z.int(),
    active_max: z.int(),
    waiting: z.int(),
    waiting_max: z.int(),
    /* How long a turn may wait for room. */
    wait_ms_max: z.int(),
    oldest_queued_at: timeSchema.nullable(),
  })
  .meta({ id: 'QueueLane' });

export const queuedTurnSchema = queuePlaceSchema
  .extend({
    turn_id: idSchema,
    thread_id: idSchema,
    agent: z.string(),
    priority: prioritySchema,
    queued_at: timeSchema,
    not_before: timeSchema.nullable(),
    /* With `words`: what its thread is called, and how what it says begins; null where that is more than text. */
    thread_title: z.string().optional(),
    text_begins: z.string().nullable().optional(),
  })
  .meta({ id: 'QueuedTurn' });

const turnAnswer = z.object({ turn: turnSchema });

export const queueEndpoints = endpoints({
  list: {
    method: 'GET',
    path: '/api/v1/queue',
    summary: 'Your turns that wait, in their order, with the reason; and how full the lanes are',
    access: 'read',
    query: z.strictObject({
      limit: z.coerce.number().int().min(1).max(itemsMax).default(itemsMax),
      words: z
        .enum(['true', 'false'])
        .default('false')
        .describe('true: with the title of each thread, and the beginning of what each turn says'),
    }),
    answer: z.object({
      lanes: z.array(laneSchema),
      items: z.array(queuedTurnSchema),
      /* How many of yours wait in all. */
      total: z.int(),
    }),
  },
  move: {
    method: 'POST',
    path: '/api/v1/turns/:id/move',
    summary: 'Move a turn that waits directly before another one of yours, or to the end',
    access: 'run',
    params: idParams,
    body: z.strictObject({ before: idSchema.nullable() }),
    answer: turnAnswer,
    errors: ['not_found', 'not_waiting', 'queue_crowded'],
  },
  edit: {
    method: 'PATCH',
    path: '/api/v1/turns/:id',
    summary: 'Change what a turn that waits asks for',
    access: 'run',
    params: idParams,
    body: z
      .strictObject({
        text: promptTextSchema.optional(),
        blocks: promptBlocksSchema.optional(),
        load_class: loadClassSchema.optional(),
        /* Null: as soon as there is room. */
        not_before: timeSchema.nullable().optional(),
      })
      .refine(({ text, blocks }) => text === undefined || blocks === undefined, {
        message: 'give either text or blocks',
      }),
    answer: turnAnswer,
    errors: ['not_found', 'not_waiting'],
  },
});
