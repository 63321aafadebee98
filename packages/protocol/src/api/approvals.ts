/*
 * What agents ask for and a person decides. What is shown is what starts, with hidden characters made visible.
 */
import { z } from 'zod';
import { approvalDecisionSchema, approvalStateSchema, boundSchema } from '../policy.ts';
import {
  digestSchema,
  idParams,
  idSchema,
  lineSchema,
  pageOf,
  pageQuery,
  timeSchema,
} from './common.ts';
import { endpoints } from './endpoint.ts';

const approvalSchema = z
  .object({
    id: idSchema,
    /* The id its run has or will have. */
    runId: z.string(),
    state: approvalStateSchema,
    /* Of the action that starts if it is allowed: a decision may name what it is about. */
    digest: digestSchema,
    /* A shell line and the shell that reads it, or a program and its arguments. */
    line: z.string().nullable(),
    shell: z.string().nullable(),
    argv: z.array(z.string()).nullable(),
    cwd: z.string(),
    /* What is added to its environment. */
    env: z.record(z.string(), z.string()),
    /* What it is given to read at its start: to a shell that is the command. */
    stdin: z.string().nullable(),
    /*
     * Null while it may still start. Once it is over, this is how much was kept until then: the environment and the input are
     * gone, and the command is cut after 4,096 characters.
     */
    droppedBytes: z.int().nullable(),
    host: z.string(),
    account: z.string(),
    /* The Unix user that it runs as; null: as the gateway does. */
    runAs: z.string().nullable(),
    requester: z.string(),
    /* The label of the token or the name of the device that asked; null for what was asked for without a gateway. */
    askedWith: z.string().nullable(),
    why: z.string(),
    createdAt: timeSchema,
    ageMs: z.int(),
    expiresAt: timeSchema,
    decision: approvalDecisionSchema.nullable(),
    decidedBy: z.string().nullable(),
    decidedAt: timeSchema.nullable(),
    reason: z.string().nullable(),
    /* Null once it is over, and where nothing can be bound: for another Unix user, on another machine. */
    bound: boundSchema.nullable(),
    /* What was another at the start, so that nothing started; and the request that was made instead. */
    changed: z.string().nullable(),
    askedAgainAs: z.string().nullable(),
  })
  .meta({ id: 'Approval' });

export const approvalsEndpoints = endpoints({
  list: {
    method: 'GET',
    path: '/api/v1/approvals',
    summary: 'What was asked for, newest first. What is over has lost its environment and input',
    access: 'read',
    query: pageQuery.extend({ state: approvalStateSchema.optional() }),
    answer: pageOf(approvalSchema),
  },
  get: {
    method: 'GET',
    path: '/api/v1/approvals/:id',
    summary: 'One of them',
    access: 'read',
    params: idParams,
    answer: approvalSchema,
    errors: ['not_found'],
  },
  rules: {
    method: 'GET',
    path: '/api/v1/approvals/:id/rules',
    summary:
      'What would be allowed for ever with it, at this moment; or why no rule could cover it',
    access: 'person',
    params: idParams,
    answer: z.object({
      items: z.array(
        z.object({
          /* What it is called by, and the file that it is. */
          program: z.string(),
          file: z.string(),
          /* It runs other programs or code, so the rule allows everything. */
          runsAnything: z.boolean(),
        }),
      ),
      /* Not null: it can be allowed once, and not for ever. */
      whyNot: z.string().nullable(),
    }),
    errors: ['not_found'],
  },
  decide: {
    method: 'POST',
    path: '/api/v1/approvals/:id',
    summary: 'Allow it once, allow its programs for ever (people only), or deny it. Decided once',
    access: 'approve',
    params: idParams,
    body: z.strictObject({
      decision: approvalDecisionSchema,
      reason: lineSchema(500).optional(),
      digest: digestSchema.optional(),
    }),
    answer: z.object({
      approval: approvalSchema,
      /* Programs that need no approval from now on. */
      rules: z.array(z.string()),
      /* Allowed, and it could not be started: why. */
      problem: z.string().nullable(),
    }),
    errors: ['not_found', 'already_decided', 'changed', 'expired'],
  },
});
