/*
 * Gives a repeated request the id of the same thread: it is made from the account and the key, so nothing has to be stored before, and a crash
 * cannot lose the connection between the two.
 */
import { createHash } from 'node:crypto';

const idAlphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const idCharacters = 16;

/* Looks like any other id, and has as many bits. */
export function threadIdOfKey(account: string, key: string): string {
  const hash = createHash('sha256').update(`thread\0${account}\0${key}`).digest();
  return [...hash.subarray(0, idCharacters)].map((byte) => idAlphabet[byte & 31]).join('');
}
