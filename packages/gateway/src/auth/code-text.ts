/*
 * The text of a login code: eight characters that are told apart by eye and ear (Crockford's alphabet, without I, L, O and U), 40 bits.
 *
 * Its hash is a slow one: two to the power of 40 fast ones are tried within minutes, so a copy of the database would give the code away
 * while it is good.
 */
import { scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import type { Random } from '@clawdfather/kit';

const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const codeCharacters = 8;

/* Such as `K7QM-2XR9`: people read and say four at a time. */
export function newCode(random: Random): string {
  const characters = [...random.bytes(codeCharacters)].map((byte) => alphabet[byte % 32]);
  return `${characters.slice(0, 4).join('')}-${characters.slice(4).join('')}`;
}

/* Undefined: no code can be that. Case and space do not count; letters that look like a digit are that digit. */
export function parseCode(text: string): string | undefined {
  const plain = text
    .toUpperCase()
    .replaceAll(/[\s-]/g, '')
    .replaceAll('O', '0')
    .replaceAll(/[IL]/g, '1');
  return /^[0-9A-HJKMNP-TV-Z]{8}$/.test(plain) ? plain : undefined;
}

const slowly = promisify<string, string, number, Buffer>(scrypt);

/* The salt is the same for all: a code is found by its hash. */
export async function hashCode(plain: string): Promise<string> {
  return (await slowly(plain, 'clawdfather login code', 32)).toString('hex');
}
