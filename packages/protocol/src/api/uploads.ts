/*
 * Files for prompts, brought in pieces: whoever is cut off asks how much is there, and goes on from it.
 */
import { z } from 'zod';
import { idParams, idSchema, lineSchema, timeSchema } from './common.ts';
import { endpoints } from './endpoint.ts';

/* A long video of a screen. */
export const uploadBytesMax = 64 * 1024 * 1024;
/* One piece: more is not done within 30 s on a bad network. A phone sends one of 1 MiB or less. */
export const uploadPieceBytesMax = 4 * 1024 * 1024;
/* As file systems take them. */
const nameMax = 200;

const uploadSchema = z
  .object({
    id: idSchema,
    name: z.string(),
    content_type: z.string(),
    size: z.int(),
    /* How much of it is here, safely: the offset of the next piece. */
    offset: z.int(),
    is_complete: z.boolean(),
    /* Sooner where a prompt has taken it and a new one has no room otherwise. */
    expires_at: timeSchema,
  })
  .meta({ id: 'Upload' });

const uploadAnswer = z.object({ upload: uploadSchema });

export const uploadsEndpoints = endpoints({
  create: {
    method: 'POST',
    path: '/api/v1/uploads',
    summary:
      'Announce a file for a prompt; its bytes follow in pieces. A resend with the same Idempotency-Key finds the same one',
    access: 'run',
    body: z.strictObject({
      name: lineSchema(nameMax),
      size: z.int().min(1).max(uploadBytesMax),
      content_type: z
        .string()
        .regex(/^[\w.+-]{1,64}\/[\w.+-]{1,64}$/, 'is not a content type')
        .default('application/octet-stream'),
      /* Checked when it is whole. */
      sha256: z
        .string()
        .regex(/^[0-9a-f]{64}$/, 'is not a SHA-256')
        .optional(),
    }),
    answer: uploadAnswer,
    status: 201,
    isIdempotent: true,
    errors: ['upload_limit_reached', 'storage_full', 'key_reused'],
  },
  append: {
    method: 'PATCH',
    path: '/api/v1/uploads/:id',
    summary:
      'The bytes from an offset on, as application/octet-stream, at most 4 MiB. They are safe when this is answered',
    access: 'run',
    params: idParams,
    query: z.strictObject({ offset: z.coerce.number().int().min(0).max(uploadBytesMax) }),
    body: z.custom<Uint8Array<ArrayBuffer>>((value) => value instanceof Uint8Array),
    bytesMax: uploadPieceBytesMax,
    answer: uploadAnswer,
    errors: ['not_found', 'gap', 'changed', 'storage_full'],
  },
  get: {
    method: 'GET',
    path: '/api/v1/uploads/:id',
    summary: 'How much of a file is here',
    access: 'run',
    params: idParams,
    answer: uploadAnswer,
    errors: ['not_found'],
  },
  remove: {
    method: 'DELETE',
    path: '/api/v1/uploads/:id',
    summary: 'A file is not wanted any more. What a prompt has taken stays with the agent',
    access: 'run',
    params: idParams,
    errors: ['not_found'],
  },
});
