/*
 * What makes a repeated request the same run.
 *
 * The run's id is made from the account and the key, so nothing has to be stored before the start, and no moment is left at
 * which a crash could forget which run a key has (S1). The run itself says which request it was, by a hash among its labels.
 */
import { createHash } from 'node:crypto';

const idAlphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const idCharacters = 16;

/* Looks like any other id. 80 bits of a hash: two keys that meet would have to be looked for, in one's own account. */
export function runIdOfKey(account: string, key: string, attempt = 0): string {
  const hash = createHash('sha256').update(`run\0${account}\0${key}\0${attempt}`).digest();
  // Five bits of each byte: the hash is long enough to be wasteful.
  return [...hash.subarray(0, idCharacters)].map((byte) => idAlphabet[byte & 31]).join('');
}
