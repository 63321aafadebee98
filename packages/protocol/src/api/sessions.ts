/*
 * Sessions: work on an SSH host or on the gateway's own machine, which goes on while no client is connected.
 */
import { z } from 'zod';
import { hourMs, idParams, idSchema, lineSchema, pageOf, pageQuery, timeSchema } from './common.ts';
import { endpoints } from './endpoint.ts';

const statusSchema = z.enum(['pending', 'active', 'closed', 'error']);

export const sessionSchema = z
  .object({
    id: idSchema,
    status: statusSchema,
    /* Null: no agent, commands only. */
    agent: z.string().nullable(),
    agent_session_id: z.string().nullable(),
    /* Null: on the gateway's own machine. */
    connection: z
      .object({ id: idSchema, label: z.string(), host: z.string(), username: z.string() })
      .nullable(),
    /* For a shell on the gateway's machine: `PREFIX command`. Null: no host, or not connected. */
    ssh_prefix: z.string().nullable(),
    created_at: timeSchema,
    started_at: timeSchema.nullable(),
    last_seen_at: timeSchema,
    closed_at: timeSchema.nullable(),
    close_reason: z.enum(['user', 'timeout', 'error', 'server_closed', 'key_revoked']).nullable(),
    error: z.object({ code: z.string(), message: z.string() }).nullable(),
    chat_url: z.string(),
  })
  .meta({ id: 'Session' });

const sessionAnswer = z.object({ session: sessionSchema });

export const sessionsEndpoints = endpoints({
  list: {
    method: 'GET',
    path: '/api/v1/sessions',
    summary: 'Your sessions, newest first',
    access: 'read',
    query: pageQuery.extend({ status: statusSchema.optional() }),
    answer: pageOf(sessionSchema),
  },
  create: {
    method: 'POST',
    path: '/api/v1/sessions',
    summary: 'Start a session',
    access: 'run',
    body: z.strictObject({
      /* Null: on the gateway's own machine. */
      connection_id: idSchema.nullable().default(null),
      agent: lineSchema(64).nullable().default(null),
    }),
    answer: sessionAnswer,
    status: 201,
    errors: [
      'not_found',
      'forbidden',
      'expired',
      'connection_not_tested',
      'keypair_revoked',
      'session_limit_reached',
      'key_reused',
      'unsupported',
      'ssh_connect_failed',
      'agent_spawn_failed',
    ],
    /* A start is expensive, and a member has three open at most. */
    limit: { hitsMax: 10, windowMs: hourMs, per: 'account', setting: 'sessionStartsPerHour' },
    isIdempotent: true,
    needsTime: true,
  },
  get: {
    method: 'GET',
    path: '/api/v1/sessions/:id',
    summary: 'One session',
    access: 'read',
    params: idParams,
    answer: sessionAnswer,
    errors: ['not_found'],
  },
  close: {
    method: 'DELETE',
    path: '/api/v1/sessions/:id',
    summary: 'Close a session and end what runs in it; closing twice is harmless',
    access: 'run',
    params: idParams,
    answer: sessionAnswer,
    errors: ['not_found'],
    needsTime: true,
  },
  closeAll: {
    method: 'POST',
    path: '/api/v1/system/close-sessions',
    summary: 'Close every session of this gateway, whoever has it; for whoever runs the machine',
    access: 'admin',
    answer: z.object({ closed: z.int() }),
    errors: ['forbidden'],
    needsTime: true,
  },
});
