/*
 * Tokens for programs: part of what a person may do, and never more tokens.
 */
import { z } from 'zod';
import { endpoints } from './endpoint.ts';
import { idParams, idSchema, lineSchema, pageOf, pageQuery, timeSchema } from './common.ts';

const hourMs = 3_600_000;
const labelMax = 64;

const scopeSchema = z.enum(['read', 'run', 'approve', 'admin']);

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

export const tokenEndpoints = endpoints({
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
      label: lineSchema(labelMax),
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
  },
});
