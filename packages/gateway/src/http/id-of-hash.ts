/*
 * Ids that are made from something else, so that nothing has to be stored before the thing itself: a repeated request finds what the first one
 * made, also when a crash came in between.
 */
import { createHash } from 'node:crypto';

const idAlphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const idCharacters = 16;

/* Looks like any other id. It has 80 bits of a hash, so two texts get the same id only if it is searched for. */
export function idOfHash(...parts: readonly string[]): string {
  const hash = createHash('sha256').update(parts.join('\0')).digest();
  // Five bits of each byte: the hash is long enough to be wasteful.
  return [...hash.subarray(0, idCharacters)].map((byte) => idAlphabet[byte & 31]).join('');
}
