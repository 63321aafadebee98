/*
 * What many endpoints and messages share: ids, times, cursors, scopes, pages, windows of limits, and the shape of a refusal.
 */
import { z } from 'zod';
import { scopes } from './endpoint.ts';

/* Windows of rate limits. */
export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;

/* Ids are made here, 16 characters; anything else cannot exist and is refused before it is looked for. */
export const idSchema = z
  .string()
  .regex(/^[0-9a-hjkmnp-tv-z]{16}$/, 'is not an id')
  .meta({ id: 'Id', description: 'Sixteen characters, lower case' });

export const timeSchema = z.iso.datetime();

export const scopeSchema = z.enum(scopes);

export const idParams = z.strictObject({ id: idSchema });

/* `force=true` removes a thing that is in use, and ends what uses it first. */
export const forceQuery = z.strictObject({ force: z.enum(['true', 'false']).default('false') });

/* 20 by default, a page that a phone shows at once; 100 at most. */
const pageLimitMax = 100;
const offsetMax = 1_000_000;

export const pageQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(pageLimitMax).default(20),
  offset: z.coerce.number().int().min(0).max(offsetMax).default(0),
});

export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.object({
    items: z.array(item),
    total: z.int(),
    limit: z.int(),
    offset: z.int(),
  });
}

/* A place in a run's output, as it was handed out. */
export const cursorSchema = z
  .string()
  .regex(/^[0-9a-z]{1,11}\.[0-9a-z]{1,4}$/, 'is not a cursor')
  .meta({ id: 'Cursor' });

/* Bytes in JSON: as the text that they are, or in base64. */
export const encodingSchema = z.enum(['text', 'base64']);

/* SHA-256 of exactly what is shown and would be done. A decision that names it counts only for that. */
export const digestSchema = z.string().regex(/^[0-9a-f]{64}$/, 'is not a digest');

/* One line of text that a person wrote: no control characters, which would end up in terminals and logs. */
export function lineSchema(charactersMax: number) {
  return z
    .string()
    .min(1)
    .max(charactersMax)
    .regex(/^\P{Cc}*$/u, 'has control characters');
}

/* Of a message, chosen by whoever sends it. The gateway says things to threads in the names of turns and agents, with ids of its own. */
export const messageIdSchema = lineSchema(128).regex(
  /^(?!(?:wake|agent):)/u,
  'begins as the ids of the gateway do',
);

/* What a person calls a thing. Signs that turn the direction of writing would let one label look like another. */
export const labelSchema = z
  .string()
  .trim()
  .min(1)
  .max(64)
  .regex(/^\P{Cc}*$/u, 'has control characters')
  .regex(/^[^\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]*$/, 'has signs that turn the writing');

export const apiErrorSchema = z
  .object({
    error: z.object({
      code: z.string(),
      message: z.string(),
      detail: z.record(z.string(), z.unknown()),
      /* What the reader can do about it. */
      hint: z.string().optional(),
    }),
  })
  .meta({ id: 'Error' });
