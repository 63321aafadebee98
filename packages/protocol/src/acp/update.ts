/*
 * What is told about a thread as it happens: notifications of JSON-RPC, over a WebSocket or in a stream of server-sent events. An update is one
 * event of the thread, with its number; every wire has the same numbers.
 */
import { z } from 'zod';
import { threadEventSchema } from '../api/threads.ts';
import { taskProgressSchema, taskQueueSchema, taskResultSchema } from './task.ts';

export const updateMethod = 'session.update';
/* When nothing else was said for a while: the connection is alive. */
export const keepAliveMethod = 'session.keepalive';

export const taskEvents = [
  'task.selected',
  'task.started',
  'task.permission_requested',
  'task.permission_resolved',
  'task.completed',
  'task.failed',
  'task.cancelled',
  'task.rejected',
] as const;

export const updateEvents = [
  'queued',
  'started',
  'running',
  'delta',
  'completed',
  'failed',
  'cancelled',
] as const;

export type UpdateEvent = (typeof updateEvents)[number] | (typeof taskEvents)[number];

export const updateSchema = z
  .object({
    seq: z.int(),
    threadId: z.string(),
    turnId: z.string().nullable(),
    /* `task` is for older clients, in place of `status` and of `approval`. */
    type: z.enum([...threadEventSchema.shape.type.options, 'task']),
    event: z.enum([...updateEvents, ...taskEvents]),
    at: z.iso.datetime(),
    queue: taskQueueSchema.nullable(),
    progress: taskProgressSchema.omit({ elapsedMs: true }).nullable(),
    /* Text of the agent that is added. */
    delta: z.string().nullable(),
    result: taskResultSchema.nullable(),
    /* The event as it is on every other wire. */
    payload: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'SessionUpdate' });

export type SessionUpdate = z.infer<typeof updateSchema>;
