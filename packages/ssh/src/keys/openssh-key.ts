/*
 * ed25519 keys as OpenSSH writes them: the public line with its fingerprint, and the private file.
 *
 * The private half is OpenSSH's own format, which all its programs read. It has no passphrase: it exists in clear only in memory,
 * on its way between the envelope and the signer (private-file.ts).
 */
import { generateKeyPair, hash } from 'node:crypto';
import { promisify } from 'node:util';
import type { Random } from '@clawdfather/kit';

export interface OpensshKey {
  /* A line of `authorized_keys`. */
  readonly publicKey: string;
  readonly fingerprint: string;
  /* The text of the private file. The caller overwrites it after use. */
  readonly privateFile: Buffer;
}

const keyType = 'ssh-ed25519';
const keyBytes = 32;
/* Both encodings have a fixed length, with the key at the end (RFC 8410). */
const spkiBytes = 44;
const pkcs8Bytes = 48;
/* The block size of the cipher `none`. */
const blockBytes = 8;
const base64LineCharacters = 70;

export async function createOpensshKey(random: Random, comment: string): Promise<OpensshKey> {
  const pair = await promisify(generateKeyPair)('ed25519', {
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs8', format: 'der' },
  });
  const point = lastBytes(pair.publicKey, spkiBytes);
  const seed = lastBytes(pair.privateKey, pkcs8Bytes);
  const blob = formatPublicBlob(point);
  const key = {
    publicKey: `${keyType} ${blob.toString('base64')} ${comment}`,
    fingerprint: formatFingerprint(blob),
    privateFile: formatPrivateFile({ seed, point, comment, check: random.bytes(4) }),
  };
  pair.privateKey.fill(0);
  return key;
}

function formatPublicBlob(point: Buffer): Buffer {
  return Buffer.concat([field(Buffer.from(keyType)), field(point)]);
}

export function formatFingerprint(blob: Buffer): string {
  return `SHA256:${hash('sha256', blob, 'base64').replace(/=+$/, '')}`;
}

interface PrivateParts {
  readonly seed: Buffer;
  readonly point: Buffer;
  readonly comment: string;
  /* Written twice; OpenSSH compares them to see whether a passphrase was right. */
  readonly check: Uint8Array;
}

function formatPrivateFile({ seed, point, comment, check }: PrivateParts): Buffer {
  const secret = Buffer.concat([seed, point]);
  const inner = padded(
    Buffer.concat([
      check,
      check,
      field(Buffer.from(keyType)),
      field(point),
      field(secret),
      field(Buffer.from(comment)),
    ]),
  );
  const none = field(Buffer.from('none'));
  const whole = Buffer.concat([
    Buffer.from('openssh-key-v1\0'),
    none,
    none,
    field(Buffer.alloc(0)),
    uint32(1),
    field(formatPublicBlob(point)),
    field(inner),
  ]);
  const lines = whole.toString('base64').match(new RegExp(`.{1,${base64LineCharacters}}`, 'g'));
  for (const clear of [secret, inner, whole]) clear.fill(0);
  return Buffer.from(
    `-----BEGIN OPENSSH PRIVATE KEY-----\n${lines?.join('\n') ?? ''}\n-----END OPENSSH PRIVATE KEY-----\n`,
  );
}

/* 1, 2, 3 … up to a whole block. */
function padded(bytes: Buffer): Buffer {
  const missing = (blockBytes - (bytes.length % blockBytes)) % blockBytes;
  return Buffer.concat([bytes, Buffer.from(Array.from({ length: missing }, (_, at) => at + 1))]);
}

function field(bytes: Buffer): Buffer {
  return Buffer.concat([uint32(bytes.length), bytes]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function lastBytes(der: Buffer, length: number): Buffer {
  if (der.length !== length) throw new TypeError(`an ed25519 key has ${length} bytes here`);
  return der.subarray(length - keyBytes);
}
