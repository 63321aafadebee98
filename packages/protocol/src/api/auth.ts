/*
 * Getting in, and who is in.
 */
import { z } from 'zod';
import { endpoints } from './endpoint.ts';
import { idSchema, timeSchema } from './common.ts';

const accountSchema = z
  .object({
    id: idSchema,
    kind: z.enum(['owner', 'member']),
    display_name: z.string(),
    email: z.string().nullable(),
    avatar_url: z.string().nullable(),
  })
  .meta({ id: 'Account' });

export const authEndpoints = endpoints({
  me: {
    method: 'GET',
    path: '/api/v1/auth/me',
    summary: 'Who am I, and what may this token do',
    access: 'read',
    answer: z.object({
      account: accountSchema,
      via: z.object({
        kind: z.enum(['device', 'token']),
        id: idSchema,
        scopes: z.array(z.enum(['read', 'run', 'approve', 'admin'])),
        expires_at: timeSchema,
      }),
    }),
  },
});
