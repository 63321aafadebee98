/*
 * Addresses that are good without a sign-in: they name an artifact and a time, and carry a signature over both and over the account.
 *
 * A signature is compared in constant time, and against every key that may have made it.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { AccountId } from '@clawdfather/kit';

export interface AddressName {
  readonly accountId: AccountId;
  readonly artifactId: string;
  /* Seconds since 1970. */
  readonly expires: number;
}

export interface Signer {
  sign(name: AddressName): string;
  isSigned(name: AddressName, signature: string): boolean;
}

type Keys = readonly [{ readonly bytes: Buffer }, ...{ readonly bytes: Buffer }[]];

export function createSigner(keys: Keys): Signer {
  const [current] = keys;
  return {
    sign: (name) => signatureOf(current.bytes, name).toString('base64url'),
    isSigned: (name, signature) => {
      const given = Buffer.from(signature, 'base64url');
      // Each is looked at, so that the time says nothing about which it was.
      const fits = keys.map(({ bytes }) => {
        const good = signatureOf(bytes, name);
        return given.length === good.length && timingSafeEqual(given, good);
      });
      // Two spellings of the same bytes would be two addresses.
      return fits.includes(true) && given.toString('base64url') === signature;
    },
  };
}

function signatureOf(key: Buffer, { accountId, artifactId, expires }: AddressName): Buffer {
  const text = ['clf-artifact-1', accountId, artifactId, String(expires)].join('\n');
  return createHmac('sha256', key).update(text).digest();
}
