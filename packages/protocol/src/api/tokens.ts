/*
 * Tokens for programs: part of what a person may do, and never more tokens.
 */
import { z } from 'zod';
import {
  hourMs,
  idParams,
  idSchema,
  labelSchema,
  pageOf,
  pageQuery,
  scopeSchema,
  timeSchema,
} from './common.ts';
import { endpoints } from './endpoint.ts';

const tokenSchema = z
  .object({
    id: idSchema,
    label: z.string(),
    scopes: z.array(scopeSchema),
    created_at: timeSchema,
    last_used_at: timeSchema.nullable(),
    expires_at: timeSchema,
  })
  .meta({ id: 'Token' });

export const tokensEndpoints = endpoints({
  list: {
    method: 'GET',
    path: '/api/v1/auth/tokens',
    summary: 'Your tokens, newest first; never the secrets',
    access: 'admin',
    query: pageQuery,
    answer: pageOf(tokenSchema),
  },
  create: {
    method: 'POST',
    path: '/api/v1/auth/tokens',
    summary: 'Make a token; it is shown this once',
    access: 'person',
    body: z.strictObject({
      label: labelSchema,
      scopes: z
        .array(scopeSchema)
        .min(1)
        .max(scopeSchema.options.length)
        .refine((scopes) => new Set(scopes).size === scopes.length, 'has the same scope twice'),
    }),
    answer: tokenSchema.extend({ token: z.string() }).meta({ id: 'NewToken' }),
    status: 201,
    errors: ['label_exists'],
    limit: { hitsMax: 10, windowMs: hourMs, per: 'account' },
  },
  revoke: {
    method: 'DELETE',
    path: '/api/v1/auth/tokens/:id',
    summary: 'Revoke a token',
    access: 'person',
    params: idParams,
    errors: ['not_found'],
  },
});
