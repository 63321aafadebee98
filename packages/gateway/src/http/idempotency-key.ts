/*
 * The header by which a request may be sent again, and a hash that tells whether it is the same request.
 */
import { createHash } from 'node:crypto';
import { ApiError } from './api-error.ts';

/* A UUID has 36 characters; what is much longer is no key but a mistake. */
const keyPattern = /^[\x21-\x7e]{1,200}$/;

export function parseIdempotencyKey(header: string | undefined): string | undefined {
  if (header === undefined || keyPattern.test(header)) return header;
  throw new ApiError(
    'validation_error',
    'Idempotency-Key: 1 to 200 visible ASCII characters, without spaces',
  );
}

/* The same whatever the order of fields. */
export function hashRequest(request: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(sorted(request)))
    .digest('base64url');
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, one]) => [name, sorted(one)] as const);
  return Object.fromEntries(entries.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}
