/*
 * Who did what in an account, newest first. Pages go by the number of an entry and not by an offset: what is added meanwhile
 * would move those.
 */
import { z } from 'zod';
import { lineSchema, timeSchema } from './common.ts';
import { endpoints } from './endpoint.ts';

const entrySchema = z
  .object({
    seq: z.int(),
    action: z.string(),
    actor: z.string(),
    target: z.string().nullable(),
    ip: z.string().nullable(),
    trace_id: z.string().nullable(),
    detail: z.record(z.string(), z.unknown()),
    at: timeSchema,
  })
  .meta({ id: 'AuditEntry' });

/* What entries are about. A newer gateway may have more. */
export const auditActions = [
  'account.create',
  'account.identify',
  'approval.decide',
  'ask.answer',
  'auth.login',
  'auth.logout',
  'auth.refused',
  'connection.create',
  'connection.delete',
  'connection.policy',
  'connection.test',
  'connection.trust',
  'connection.update',
  'device.rename',
  'device.revoke',
  'key.create',
  'key.revoke',
  'key.rotate',
  'login-code.claim',
  'login-code.confirm',
  'login-code.create',
  'login-code.refuse',
  'login-code.use',
  'push.subscribe',
  'push.unsubscribe',
  'push.update',
  'rule.revoke',
  'run.cancel',
  'run.denied',
  'run.held',
  'run.remove',
  'run.signal',
  'run.start',
  'run.unstarted',
  'session.active',
  'session.adopt',
  'session.close',
  'session.error',
  'session.start',
  'session.timeout',
  'settings.update',
  'thread.archive',
  'thread.create',
  'thread.edit',
  'thread.choose',
  'thread.unarchive',
  'token.create',
  'token.revoke',
  'turn.cancel',
  'turn.edit',
  'turn.move',
  'turn.prompt',
] as const;

export const auditEndpoints = endpoints({
  list: {
    method: 'GET',
    path: '/api/v1/audit',
    summary: 'What was done in your account',
    access: 'admin',
    query: z.strictObject({
      before: z.coerce.number().int().min(1).optional(),
      action: lineSchema(64).optional(),
      target: lineSchema(64).optional().describe('What it was done to: the id of a run, say'),
      limit: z.coerce.number().int().min(1).max(100).default(20),
    }),
    answer: z.object({
      entries: z.array(entrySchema),
      has_more: z.boolean(),
      next_before: z.int().nullable(),
      /* What the devices and tokens among the actors are called; told to a person. */
      names: z.record(z.string(), z.string()).optional(),
    }),
  },
});
