/*
 * Letting another device in: a signed-in device shows a code and a link, the other one claims it and waits, and a person confirms on the
 * first one what it says wants in.
 */
import { z } from 'zod';
import { hourMs, idParams, idSchema, labelSchema, minuteMs, timeSchema } from './common.ts';
import { endpoints } from './endpoint.ts';
import { linkSchema, signedInSchema } from './auth.ts';

/* A proxy's usual patience is 60 s. */
const waitMsMax = 55_000;
/* Eight characters, with as much space and as many hyphens as a person or a keyboard puts in between. */
const codeTextMax = 40;

export const loginCodeSchema = z
  .object({
    id: idSchema,
    /* `open`: nobody has come. `claimed`: somebody waits for your answer. `used`: it is in. `expired`: too late, whatever it was. */
    state: z.enum(['open', 'claimed', 'confirmed', 'used', 'refused', 'expired']),
    /* Who wants in: what it calls itself, and where it comes from. */
    claimant: z.object({ device: z.string(), ip: z.string() }).nullable(),
    expires_at: timeSchema,
  })
  .meta({ id: 'LoginCode' });

/* What the device that waits holds; its cookie, unless it is a program. */
const claimSchema = z.string().regex(/^[A-Za-z0-9_-]{43}$/, 'is not a claim');

const codeTextSchema = z
  .string()
  .max(codeTextMax)
  .regex(/^[\s-]*(?:[0-9A-Za-z][\s-]*){8}$/, 'is not a login code');

export const loginCodesEndpoints = endpoints({
  create: {
    method: 'POST',
    path: '/api/v1/auth/codes',
    summary:
      'A code and a link that let one other device in, once, if this device confirms it. Both end after two minutes, and when this device makes others',
    access: 'person',
    answer: z.object({
      login_code: loginCodeSchema,
      /* Shown now, and never again. */
      code: z.string(),
      link: z.url(),
    }),
    status: 201,
    limit: { hitsMax: 60, windowMs: hourMs, per: 'account' },
  },
  get: {
    method: 'GET',
    path: '/api/v1/auth/codes/:id',
    summary: 'A code that this device has made: whether somebody has claimed it, and who',
    access: 'person',
    params: idParams,
    answer: z.object({ login_code: loginCodeSchema }),
    errors: ['not_found'],
  },
  decide: {
    method: 'POST',
    path: '/api/v1/auth/codes/:id/decision',
    summary:
      'Let in who has claimed a code of this device, or refuse it; also before it is claimed',
    access: 'person',
    params: idParams,
    body: z.strictObject({ decision: z.enum(['confirm', 'refuse']) }),
    answer: z.object({ login_code: loginCodeSchema }),
    errors: ['not_found', 'already_decided', 'expired'],
  },
  claim: {
    method: 'POST',
    path: '/api/v1/auth/claims',
    summary: 'Ask to be let in with a code or a link that another device shows; then wait',
    access: 'open',
    body: z.union([
      z.strictObject({
        code: codeTextSchema,
        device: labelSchema.optional(),
        cookie: z.boolean().default(false),
      }),
      z.strictObject({
        link: linkSchema,
        device: labelSchema.optional(),
        cookie: z.boolean().default(false),
      }),
    ]),
    answer: z.object({
      /* What the other device is told about this one. */
      device: z.string(),
      /* Who this one would be signed in as: a person may have been sent somebody else's link. */
      account: z.object({ display_name: z.string() }),
      expires_at: timeSchema,
      /* Absent where a cookie was asked for. */
      claim: claimSchema.optional(),
    }),
    status: 202,
    errors: ['invalid_link'],
    limit: { hitsMax: 10, windowMs: minuteMs, per: 'ip' },
  },
  finish: {
    method: 'POST',
    path: '/api/v1/auth/claims/finish',
    summary:
      'Whether the other device has confirmed; waits if asked to. Signs this one in if so. One request waits for a claim; a newer one ends it',
    access: 'open',
    body: z.strictObject({
      /* Absent: it is in the cookie, and so will be the token. */
      claim: claimSchema.optional(),
      wait_ms: z.int().min(0).max(waitMsMax).default(0),
    }),
    answer: z.object({
      state: z.enum(['claimed', 'used', 'refused', 'expired']),
      signed_in: signedInSchema.nullable(),
    }),
    errors: ['invalid_link', 'expired', 'forbidden'],
    takesLong: true,
    limit: { hitsMax: 60, windowMs: minuteMs, per: 'ip' },
  },
});
