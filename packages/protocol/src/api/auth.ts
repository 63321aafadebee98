/*
 * Getting in, and who is in.
 */
import { z } from 'zod';
import {
  hourMs,
  idParams,
  idSchema,
  labelSchema,
  lineSchema,
  minuteMs,
  pageOf,
  pageQuery,
  scopeSchema,
  timeSchema,
} from './common.ts';
import { endpoints } from './endpoint.ts';
import { pushStateSchema } from './push.ts';

/* As it is shown in a list on a phone. */
const deviceNameMax = 64;
/* GitHub's codes have 20 characters; what is much longer is not one of them. */
const codeMax = 512;
/* As browsers and proxies take them. */
const urlMax = 2_048;

const accountSchema = z
  .object({
    id: idSchema,
    kind: z.enum(['owner', 'member']),
    display_name: z.string(),
    email: z.string().nullable(),
    avatar_url: z.string().nullable(),
  })
  .meta({ id: 'Account' });

export const signedInSchema = z
  .object({
    /* Only here, and never again. Absent where a cookie was asked for. */
    token: z.string().optional(),
    account: accountSchema,
    expires_at: timeSchema,
  })
  .meta({ id: 'SignedIn' });

const deviceSchema = z
  .object({
    id: idSchema,
    device: z.string(),
    is_current: z.boolean(),
    created_at: timeSchema,
    last_used_at: timeSchema,
    expires_at: timeSchema,
    /* Null: it gets no push. */
    push: pushStateSchema.nullable(),
  })
  .meta({ id: 'Device' });

/* 32 random bytes, as printed by `serve` and `login`. */
export const linkSchema = z.string().regex(/^[A-Za-z0-9_-]{43}$/, 'is not a login link');

export const authEndpoints = endpoints({
  loginLink: {
    method: 'POST',
    path: '/api/v1/auth/login-link',
    summary: 'Sign in with a one-time link: for a token, or for a cookie',
    access: 'open',
    body: z.strictObject({
      link: linkSchema,
      device: lineSchema(deviceNameMax).optional(),
      cookie: z.boolean().default(false),
    }),
    answer: signedInSchema,
    errors: ['invalid_link'],
    limit: { hitsMax: 10, windowMs: minuteMs, per: 'ip' },
  },
  startGithub: {
    method: 'POST',
    path: '/api/v1/auth/oauth/github/start',
    summary: 'Begin to sign in with GitHub; go to the address that comes back',
    access: 'open',
    body: z.strictObject({ redirect_uri: z.url().max(urlMax).optional() }),
    answer: z.object({ authorize_url: z.url(), state: z.string() }),
    errors: ['unsupported'],
    limit: { hitsMax: 10, windowMs: minuteMs, per: 'ip' },
  },
  finishGithub: {
    method: 'GET',
    path: '/api/v1/auth/oauth/github/callback',
    summary:
      'Where GitHub sends you back: a page and a cookie for a browser, a token for a program',
    access: 'open',
    // Not strict: GitHub writes this address, and may add parameters.
    query: z.object({
      code: lineSchema(codeMax).optional(),
      state: lineSchema(codeMax).optional(),
      error: lineSchema(codeMax).optional(),
    }),
    answer: signedInSchema,
    errors: ['invalid_state', 'invalid_code', 'forbidden', 'unsupported', 'github_unavailable'],
    limit: { hitsMax: 20, windowMs: hourMs, per: 'ip', lockMs: hourMs },
  },
  ways: {
    method: 'GET',
    path: '/api/v1/auth/ways',
    summary: 'The ways to sign in that this gateway offers',
    access: 'open',
    answer: z.object({ ways: z.array(z.enum(['link', 'code', 'github'])) }),
  },
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
        scopes: z.array(scopeSchema),
        expires_at: timeSchema,
      }),
    }),
  },
  signOut: {
    method: 'DELETE',
    path: '/api/v1/auth/session',
    summary: 'Sign out: the device or token that asks is revoked',
    access: 'read',
  },
  devices: {
    method: 'GET',
    path: '/api/v1/auth/sessions',
    summary: 'Your signed-in devices, last used first',
    access: 'admin',
    query: pageQuery,
    answer: pageOf(deviceSchema),
  },
  revokeOtherDevices: {
    method: 'DELETE',
    path: '/api/v1/auth/sessions',
    summary: 'Sign out all devices but this one',
    access: 'person',
    answer: z.object({ revoked: z.int() }),
  },
  renameDevice: {
    method: 'PATCH',
    path: '/api/v1/auth/sessions/:id',
    summary: 'Call a device something else',
    access: 'person',
    params: idParams,
    body: z.strictObject({ device: labelSchema }),
    answer: z.object({ id: idSchema, device: z.string() }),
    errors: ['not_found'],
  },
  revokeDevice: {
    method: 'DELETE',
    path: '/api/v1/auth/sessions/:id',
    summary: 'Sign out a device',
    access: 'person',
    params: idParams,
    errors: ['not_found'],
  },
});
