/*
 * Push to a device: the key that a browser subscribes with, this device's subscription, and whether somebody looks at this device.
 *
 * All of it is about the device that asks. A token has no screen, so it cannot ask.
 */
import { z } from 'zod';
import { hourMs, idSchema, timeSchema } from './common.ts';
import { endpoints } from './endpoint.ts';

/* As browsers and proxies take them. */
const endpointCharactersMax = 2_048;

/* What this device is told of. */
const classesSchema = z.strictObject({
  approval: z.boolean(),
  question: z.boolean(),
  done: z.boolean(),
  failed: z.boolean(),
  host_lost: z.boolean(),
});

export const pushStateSchema = z
  .object({
    classes: classesSchema,
    created_at: timeSchema,
    /* When the push service last took a message. */
    sent_at: timeSchema.nullable(),
    /* Why it did not take the newest one; null: it did, or there was none. */
    failure: z.string().nullable(),
    failed_at: timeSchema.nullable(),
  })
  .meta({ id: 'PushState' });

const subscriptionSchema = z
  .object({
    ...pushStateSchema.shape,
    /* The key that it was made with. When it is not the current one, subscribe anew. */
    key_id: idSchema,
    /* To compare with the browser's own. */
    endpoint: z.string(),
  })
  .meta({ id: 'PushSubscription' });

/* Base64url, as `toJSON` of a browser's subscription has it: a point of 65 bytes, and 16 random ones. */
const p256dhSchema = z.string().regex(/^[A-Za-z0-9_-]{87}=?$/, 'is no public key');
const authSchema = z.string().regex(/^[A-Za-z0-9_-]{22}(==)?$/, 'is no authentication secret');

export const pushEndpoints = endpoints({
  get: {
    method: 'GET',
    path: '/api/v1/push',
    summary: 'The public key to subscribe with, and the subscription of this device',
    access: 'person',
    answer: z.object({
      key_id: idSchema,
      /* For `applicationServerKey`, in base64url. */
      public_key: z.string(),
      subscription: subscriptionSchema.nullable(),
    }),
  },
  subscribe: {
    method: 'POST',
    path: '/api/v1/push/subscription',
    summary: 'Push to this device from now on; takes the place of its earlier subscription',
    access: 'person',
    // Beside `key_id`, what `toJSON` of a browser's subscription gives.
    body: z.strictObject({
      key_id: idSchema,
      endpoint: z.string().min(1).max(endpointCharactersMax),
      expirationTime: z.number().nullable().optional(),
      keys: z.strictObject({ p256dh: p256dhSchema, auth: authSchema }),
      /* Absent: as before, or at first as the account's settings have it. */
      classes: classesSchema.partial().optional(),
    }),
    answer: subscriptionSchema,
    errors: ['push_endpoint_refused', 'push_key_changed'],
    limit: { hitsMax: 60, windowMs: hourMs, per: 'account' },
  },
  update: {
    method: 'PATCH',
    path: '/api/v1/push/subscription',
    summary: 'Change what this device is told of',
    access: 'person',
    body: z.strictObject({ classes: classesSchema.partial() }),
    answer: subscriptionSchema,
    errors: ['not_found'],
  },
  unsubscribe: {
    method: 'DELETE',
    path: '/api/v1/push/subscription',
    summary: 'No push to this device any more',
    access: 'person',
  },
  test: {
    method: 'POST',
    path: '/api/v1/push/test',
    summary: 'Push a test to this device, and say what came of it',
    access: 'person',
    answer: z.object({
      outcome: z.enum(['sent', 'failed']),
      reason: z.string().nullable(),
      duration_ms: z.int(),
    }),
    errors: ['not_found'],
    limit: { hitsMax: 30, windowMs: hourMs, per: 'account' },
    needsTime: true,
  },
});

export const presenceEndpoints = endpoints({
  report: {
    method: 'POST',
    path: '/api/v1/presence',
    summary:
      'Somebody looks at this device, or no longer does; a device that is looked at gets no push',
    access: 'person',
    body: z.strictObject({ state: z.enum(['visible', 'hidden']) }),
    answer: z.object({
      /* `visible` ends then by itself; null after `hidden`. */
      visible_until: timeSchema.nullable(),
      /* When to say it again while it is so. */
      again_after_ms: z.int(),
    }),
  },
});
