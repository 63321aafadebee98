/*
 * A message that only one browser can read, as RFC 8291 has it: `aes128gcm` of RFC 8188 in one record, under a key that both sides agree on by
 * ECDH on P-256 and that the subscription's secret is mixed into.
 *
 * What is sent is always of the same length, so that a push service learns nothing from it.
 */
import { createCipheriv, createECDH, hkdfSync } from 'node:crypto';
import type { Random } from '@clawdfather/kit';

export interface BrowserKeys {
  /* The browser's public point, 65 bytes. */
  readonly p256dh: Buffer;
  /* The secret of the subscription, 16 bytes. */
  readonly auth: Buffer;
}

export interface Ingredients {
  readonly salt: Buffer;
  /* Of a key pair that is used once. */
  readonly privateKey: Buffer;
}

/* Room for every message of ours, well below the 4,096 bytes that push services take. */
export const messageBytesMax = 1_024;

const curve = 'prime256v1';
const saltBytes = 16;
const privateKeyBytes = 32;
const contentKeyBytes = 16;
const nonceBytes = 12;
const tagBytes = 16;
/* Ends the last record; what follows it are zeros. */
const lastRecord = 2;

export function newIngredients(random: Random): Ingredients {
  return {
    salt: Buffer.from(random.bytes(saltBytes)),
    privateKey: Buffer.from(random.bytes(privateKeyBytes)),
  };
}

/* Padded to `paddedBytes`; a text that is longer is not padded. */
export function encryptMessage(
  text: Buffer,
  { p256dh, auth }: BrowserKeys,
  { salt, privateKey, paddedBytes = 0 }: Ingredients & { readonly paddedBytes?: number },
): Buffer {
  const ours = createECDH(curve);
  ours.setPrivateKey(privateKey);
  const publicKey = ours.getPublicKey();
  const agreed = ours.computeSecret(p256dh);
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), p256dh, publicKey]);
  const mixed = derive({ secret: agreed, salt: auth, info, bytes: 32 });
  const part = (name: string, bytes: number): Buffer =>
    derive({ secret: mixed, salt, info: Buffer.from(`Content-Encoding: ${name}\0`), bytes });
  const padding = Buffer.alloc(Math.max(0, paddedBytes - text.length));
  const record = Buffer.concat([text, Buffer.of(lastRecord), padding]);
  const cipher = createCipheriv(
    'aes-128-gcm',
    part('aes128gcm', contentKeyBytes),
    part('nonce', nonceBytes),
    { authTagLength: tagBytes },
  );
  const sealed = Buffer.concat([cipher.update(record), cipher.final(), cipher.getAuthTag()]);
  const recordSize = Buffer.alloc(4);
  // A record may be as long as this; ours is the only one. 4,096 is what everybody writes here.
  recordSize.writeUInt32BE(4_096);
  return Buffer.concat([salt, recordSize, Buffer.of(publicKey.length), publicKey, sealed]);
}

interface Derivation {
  readonly secret: Buffer;
  readonly salt: Buffer;
  readonly info: Buffer;
  readonly bytes: number;
}

function derive({ secret, salt, info, bytes }: Derivation): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, salt, info, bytes));
}

/* `undefined`: these are no keys of a browser. */
export function parseBrowserKeys(keys: {
  readonly p256dh: string;
  readonly auth: string;
}): BrowserKeys | undefined {
  const p256dh = Buffer.from(keys.p256dh, 'base64url');
  const auth = Buffer.from(keys.auth, 'base64url');
  return auth.length === saltBytes && isPoint(p256dh) ? { p256dh, auth } : undefined;
}

function isPoint(bytes: Buffer): boolean {
  const uncompressed = 4;
  if (bytes.length !== 65 || bytes[0] !== uncompressed) return false;
  const any = createECDH(curve);
  any.setPrivateKey(Buffer.alloc(privateKeyBytes, 1));
  try {
    any.computeSecret(bytes);
    return true;
  } catch {
    // It is not on the curve.
    return false;
  }
}
