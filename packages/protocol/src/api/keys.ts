/*
 * SSH keys. They are made by the gateway; the private half never leaves it, so no schema here has a place for one.
 */
import { z } from 'zod';
import {
  forceQuery,
  hourMs,
  idParams,
  idSchema,
  labelSchema,
  pageOf,
  pageQuery,
  timeSchema,
} from './common.ts';
import { endpoints } from './endpoint.ts';

/* Making a key is cheap, but each one has to be installed on hosts by a person. */
const limit = { hitsMax: 5, windowMs: hourMs, per: 'account' } as const;

const keySchema = z
  .object({
    id: idSchema,
    label: z.string(),
    /* As in `authorized_keys`: type, key and comment. */
    public_key: z.string(),
    /* `SHA256:…`, as `ssh-keygen -l` shows it. */
    fingerprint: z.string(),
    /* `rotated`: connections on which its successor is not proven yet still use it. */
    status: z.enum(['active', 'rotated', 'revoked']),
    rotated_to_id: idSchema.nullable(),
    created_at: timeSchema,
  })
  .meta({ id: 'Key' });

export const keysEndpoints = endpoints({
  list: {
    method: 'GET',
    path: '/api/v1/keys',
    summary: 'Your keys in use, newest first',
    access: 'read',
    query: pageQuery,
    answer: pageOf(keySchema),
  },
  create: {
    method: 'POST',
    path: '/api/v1/keys',
    summary: 'Make a key',
    access: 'admin',
    body: z.strictObject({ label: labelSchema }),
    answer: z.object({ key: keySchema }),
    status: 201,
    errors: ['label_exists', 'key_limit_reached'],
    limit,
  },
  remove: {
    method: 'DELETE',
    path: '/api/v1/keys/:id',
    summary: 'Revoke a key; with `force`, sessions that use it are closed',
    access: 'admin',
    params: idParams,
    query: forceQuery,
    errors: ['not_found', 'active_sessions_exist'],
    limit,
  },
  rotate: {
    method: 'POST',
    path: '/api/v1/keys/:id/rotate',
    summary:
      'Replace a key by a new one; each connection keeps the old one until a test proves the new one',
    access: 'admin',
    params: idParams,
    answer: z.object({
      key: keySchema,
      /* To be tested, once the new key is installed there. */
      connection_ids: z.array(idSchema),
    }),
    status: 201,
    errors: ['not_found'],
    limit,
  },
  installCommand: {
    method: 'GET',
    path: '/api/v1/keys/:id/install-command',
    summary: 'What to paste on a host so that it accepts the key',
    access: 'read',
    params: idParams,
    answer: z.object({ command: z.string(), public_key: z.string(), fingerprint: z.string() }),
    errors: ['not_found'],
  },
});
