/*
 * Gives a repeated request the id of the same run.
 *
 * The run's id is made from the account and the key, so nothing has to be stored before the start, and a crash cannot
 * lose the connection between a key and its run (S1). A label of the run holds a hash of its request.
 */
import { createHash } from 'node:crypto';

const idAlphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const idCharacters = 16;

/* Looks like any other id. It has 80 bits of a hash, so two keys of an account get the same id only if it is searched for. */
export function runIdOfKey(account: string, key: string, attempt = 0): string {
  const hash = createHash('sha256').update(`run\0${account}\0${key}\0${attempt}`).digest();
  // Five bits of each byte: the hash is long enough to be wasteful.
  return [...hash.subarray(0, idCharacters)].map((byte) => idAlphabet[byte & 31]).join('');
}
