/*
 * What makes a repeated request the same run.
 *
 * The run's id is made from the account and the key, so nothing has to be stored before the start, and no moment is left at
 * which a crash could forget which run a key has (S1). The run itself says which request it was, by a hash among its labels.
 */
import { createHash } from 'node:crypto';
import { ApiError } from '../http/api-error.ts';

/* As the contract has it elsewhere; a UUID has 36. */
const keyPattern = /^[\x21-\x7e]{1,200}$/;
const idAlphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const idCharacters = 16;

export function parseKey(header: string | undefined): string | undefined {
  if (header === undefined || keyPattern.test(header)) return header;
  throw new ApiError(
    'validation_error',
    'Idempotency-Key: 1 to 200 visible ASCII characters, without spaces',
  );
}

/* Looks like any other id. 80 bits of a hash: two keys that meet would have to be looked for, in one's own account. */
export function runIdOfKey(account: string, key: string, attempt = 0): string {
  const hash = createHash('sha256').update(`run\0${account}\0${key}\0${attempt}`).digest();
  // Five bits of each byte: the hash is long enough to be wasteful.
  return [...hash.subarray(0, idCharacters)].map((byte) => idAlphabet[byte & 31]).join('');
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
