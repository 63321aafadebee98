/*
 * The holder of the master keys: wraps and unwraps the key of a secret for an account.
 *
 * The interface is asynchronous and never hands out a master key, so a key service on another machine can implement it. The one
 * here holds master keys in memory: CURRENT wraps, CURRENT and every PREVIOUS unwrap.
 */
import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto';
import type { Random } from '@clawdfather/kit';
import { SshError } from '../errors.ts';

export interface WrappedKey {
  /* Which master key; says nothing about it. */
  readonly masterId: string;
  readonly bytes: Buffer;
}

export interface KeyUse {
  readonly accountId: string;
  /* Where the secret lives: a key wrapped for one place is no good in another. */
  readonly aad: Buffer;
}

export interface Kms {
  /* What is wrapped by another should be wrapped again. */
  currentId(): Promise<string>;
  wrap(key: Buffer, use: KeyUse): Promise<WrappedKey>;
  /* Throws `secret-unreadable`. */
  unwrap(wrapped: WrappedKey, use: KeyUse): Promise<Buffer>;
}

export interface MasterKey {
  readonly id: string;
  readonly bytes: Buffer;
}

export const keyBytes = 32;
const nonceBytes = 12;
/* Without naming it, Node takes a tag of four bytes for a good one. */
const tagBytes = 16;
const cipher = 'aes-256-gcm';

export function createMasterKms(
  masters: readonly [current: MasterKey, ...previous: MasterKey[]],
  random: Random,
): Kms {
  const [current] = masters;
  return {
    currentId: async () => current.id,
    wrap: async (key, use) => {
      const kek = accountKek(current, use.accountId);
      const bytes = encrypt(key, { key: kek, aad: use.aad, random });
      kek.fill(0);
      return { masterId: current.id, bytes };
    },
    unwrap: async ({ masterId, bytes }, use) => {
      const master = masters.find(({ id }) => id === masterId);
      if (master === undefined) throw unreadable(`master key ${masterId} is not here`);
      const kek = accountKek(master, use.accountId);
      try {
        return decrypt(bytes, { key: kek, aad: use.aad });
      } finally {
        kek.fill(0);
      }
    },
  };
}

function accountKek(master: MasterKey, accountId: string): Buffer {
  return Buffer.from(hkdfSync('sha256', master.bytes, accountId, 'clawdfather-kek', keyBytes));
}

/* Nonce, text, tag. Each key encrypts one thing or, for a KEK, few; random nonces cannot meet. */
export function encrypt(
  clear: Buffer,
  { key, aad, random }: { readonly key: Buffer; readonly aad: Buffer; readonly random: Random },
): Buffer {
  const nonce = random.bytes(nonceBytes);
  const sealing = createCipheriv(cipher, key, nonce, { authTagLength: tagBytes });
  sealing.setAAD(aad);
  const text = Buffer.concat([sealing.update(clear), sealing.final()]);
  return Buffer.concat([nonce, text, sealing.getAuthTag()]);
}

export function decrypt(
  bytes: Buffer,
  { key, aad }: { readonly key: Buffer; readonly aad: Buffer },
): Buffer {
  if (bytes.length < nonceBytes + tagBytes) throw unreadable('it is too short');
  const opening = createDecipheriv(cipher, key, bytes.subarray(0, nonceBytes), {
    authTagLength: tagBytes,
  });
  opening.setAAD(aad);
  opening.setAuthTag(bytes.subarray(-tagBytes));
  const clear = opening.update(bytes.subarray(nonceBytes, -tagBytes));
  try {
    opening.final();
  } catch (error) {
    clear.fill(0);
    throw unreadable('it was changed, or belongs elsewhere', error);
  }
  return clear;
}

export function unreadable(why: string, cause?: unknown): SshError {
  return new SshError('secret-unreadable', `a stored secret cannot be opened: ${why}`, {
    ...(cause === undefined ? {} : { cause }),
    hint: 'was the database moved without its master keys?',
  });
}
