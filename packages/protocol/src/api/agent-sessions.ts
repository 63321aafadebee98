/*
 * What the agent of a session may have to do with other agents' sessions. An agent reaches these through the tools `sessions_…`, whose
 * server holds the key of this one agent; nobody else can call them, and the key opens nothing else.
 */
import { z } from 'zod';
import { hourMs, idParams, idSchema, labelSchema, lineSchema, timeSchema } from './common.ts';
import { endpoints } from './endpoint.ts';
import { ownershipFields, threadStatusSchema, turnStatusSchema } from './threads.ts';

/* What one agent says to another: as long as what a person would type or paste. */
export const agentMessageCharactersMax = 100_000;
/* Of an answer to an agent: what it reads, it has to keep in mind. */
const pageItemsMax = 50;

const sessionFields = {
  ...ownershipFields,
  title: z.string(),
  directory: z.string(),
  status: threadStatusSchema,
  last_result_code: z.string().nullable(),
  created_at: timeSchema,
  updated_at: timeSchema,
};

export const agentSessionSchema = z.object(sessionFields).meta({ id: 'AgentSession' });

export const receiptSchema = z
  .object({
    receipt: idSchema,
    session_key: idSchema,
    /* It waits; its turn has begun; its turn has ended. */
    state: z.enum(['accepted', 'begun', 'ended']),
    accepted_at: timeSchema,
    begun_at: timeSchema.nullable(),
    ended_at: timeSchema.nullable(),
    /* Of the turn. */
    status: turnStatusSchema,
    result_code: z.string().nullable(),
    message: z.string().nullable(),
  })
  .meta({ id: 'MessageReceipt' });

const said = z.string().trim().min(1).max(agentMessageCharactersMax);

export const agentSessionsEndpoints = endpoints({
  list: {
    method: 'GET',
    path: '/api/v1/agent/sessions',
    summary: 'The sessions that this agent sees, newest first',
    access: 'agent',
    query: z.strictObject({
      limit: z.coerce.number().int().min(1).max(pageItemsMax).default(20),
      offset: z.coerce.number().int().min(0).max(1_000_000).default(0),
    }),
    answer: z.object({
      /* The session of the one who asks. */
      own_session_key: idSchema,
      items: z.array(agentSessionSchema),
      /* Where the next page begins; null: this was the last. */
      next_offset: z.int().nullable(),
    }),
  },
  spawn: {
    method: 'POST',
    path: '/api/v1/agent/sessions',
    summary: 'Begin a session below this one, and give it a task',
    access: 'agent',
    body: z.strictObject({
      /* Absent: the same agent. */
      agent: lineSchema(64).optional(),
      /* In the directory of this session; absent: that one. */
      directory: lineSchema(4_096).optional(),
      task: said,
      title: labelSchema.optional(),
      /* Whether this session is told when the task has ended. */
      wake: z.boolean().default(true),
    }),
    answer: z.object({ session: agentSessionSchema, receipt: receiptSchema }),
    status: 201,
    errors: [
      'forbidden',
      'key_reused',
      'session_limit_reached',
      'thread_archived',
      'unsupported',
      'agent_spawn_failed',
    ],
    limit: { hitsMax: 120, windowMs: hourMs, per: 'account' },
    isIdempotent: true,
  },
  status: {
    method: 'GET',
    path: '/api/v1/agent/sessions/:id',
    summary: 'What a session is doing',
    access: 'agent',
    params: idParams,
    answer: z.object({
      session: agentSessionSchema,
      /* Why nothing moves: its turn waits in the queue, or its agent waits for a person. */
      waits_for: z.enum(['queue', 'person']).nullable(),
      /* How many questions and permissions a person has to answer; what they are is between the person and that agent. */
      open_asks: z.int(),
      queued_turns: z.int(),
    }),
    errors: ['not_found'],
  },
  history: {
    method: 'GET',
    path: '/api/v1/agent/sessions/:id/history',
    summary: 'What was said in a session, newest page first, as text',
    access: 'agent',
    params: idParams,
    query: z.strictObject({
      /* Only what came before this number; absent: the newest. */
      before: z.coerce.number().int().min(1).optional(),
      limit: z.coerce.number().int().min(1).max(pageItemsMax).default(20),
    }),
    answer: z.object({
      items: z.array(
        z.object({
          seq: z.int(),
          turn_id: z.string().nullable(),
          role: z.enum(['user', 'agent']),
          /* The session that said it, where no person did. */
          from_session_key: z.string().nullable(),
          text: z.string(),
          /* Its middle was left out. */
          is_cut: z.boolean(),
          at: timeSchema,
        }),
      ),
      next_before: z.int().nullable(),
    }),
    errors: ['not_found'],
  },
  send: {
    method: 'POST',
    path: '/api/v1/agent/sessions/:id/messages',
    summary: 'Say something to the agent of a session: a turn there, with a receipt',
    access: 'agent',
    params: idParams,
    body: z.strictObject({ text: said, wake: z.boolean().default(false) }),
    answer: z.object({ receipt: receiptSchema }),
    status: 202,
    errors: ['not_found', 'key_reused', 'thread_archived'],
    limit: { hitsMax: 600, windowMs: hourMs, per: 'account' },
    isIdempotent: true,
  },
  receipt: {
    method: 'GET',
    path: '/api/v1/agent/receipts/:id',
    summary: 'What became of a message that this session has sent',
    access: 'agent',
    params: idParams,
    answer: z.object({ receipt: receiptSchema }),
    errors: ['not_found'],
  },
});
