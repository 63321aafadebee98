/*
 * Where a turn stands in the queue and why it waits, as every answer with a turn has it.
 */
import { z } from 'zod';
import { timeSchema } from './common.ts';

export const queueReasonSchema = z.object({
  code: z.enum([
    'thread-busy',
    'thread-order',
    'not-before',
    'agent-lane-full',
    'account-lane-full',
    'gateway-lane-full',
    'low-memory',
    'agent-elsewhere',
    'next',
  ]),
  /* For people. */
  message: z.string(),
  /* Of a full lane: how many turns run there, and how many may. */
  active: z.int().optional(),
  active_max: z.int().optional(),
  /* Of `not-before`. */
  at: timeSchema.optional(),
  /* Of `low-memory`. */
  available_bytes: z.int().optional(),
  floor_bytes: z.int().optional(),
});

export const queuePlaceSchema = z
  .object({
    /* From 1, among all that wait in the account. */
    position: z.int(),
    ahead: z.int(),
    reason: queueReasonSchema,
  })
  .meta({ id: 'QueuePlace' });

/* A few steps up and down are all that people tell apart. */
const priorityMax = 9;

export const prioritySchema = z.int().min(-priorityMax).max(priorityMax);
