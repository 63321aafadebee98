/*
 * Programs that run unasked, because a person allowed them for ever. Whoever may decide may look at them. Taking one back is for
 * people, as making one is.
 */
import { z } from 'zod';
import { idParams, idSchema, pageOf, pageQuery, timeSchema } from './common.ts';
import { endpoints } from './endpoint.ts';

const ruleSchema = z
  .object({
    id: idSchema,
    /* What it is called by, and the file that it is. Both must be the same when it is to run. */
    program: z.string(),
    file: z.string(),
    /* It runs other programs or code, so the rule allows everything. */
    runsAnything: z.boolean(),
    account: z.string(),
    /* The request that it was made with. */
    approvalId: z.string(),
    addedBy: z.string(),
    addedAt: timeSchema,
    /* Runs that it let start. */
    uses: z.int(),
    lastUsedAt: timeSchema.nullable(),
    revokedBy: z.string().nullable(),
    revokedAt: timeSchema.nullable(),
  })
  .meta({ id: 'ApprovalRule' });

export const approvalRulesEndpoints = endpoints({
  list: {
    method: 'GET',
    path: '/api/v1/approval-rules',
    summary:
      'Programs that were allowed for ever, newest first; with revoked ones if you ask for them',
    access: 'approve',
    query: pageQuery.extend({ revoked: z.enum(['true', 'false']).default('false') }),
    answer: pageOf(ruleSchema),
  },
  get: {
    method: 'GET',
    path: '/api/v1/approval-rules/:id',
    summary: 'One of them',
    access: 'approve',
    params: idParams,
    answer: ruleSchema,
    errors: ['not_found'],
  },
  revoke: {
    method: 'DELETE',
    path: '/api/v1/approval-rules/:id',
    summary: 'Take it back: from the next command on, a person is asked again',
    access: 'person',
    params: idParams,
    answer: ruleSchema,
    errors: ['not_found', 'already_decided'],
  },
});
