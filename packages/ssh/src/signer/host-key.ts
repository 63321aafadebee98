/*
 * Host keys as blobs, and signatures by them: ed25519, ecdsa on the three NIST curves, rsa with SHA-2.
 *
 * H1 A key or signature in another form than its type has is refused, never repaired: what OpenSSL makes of an odd number is not
 *    our decision. One odd form is legal: an rsa signature may lack leading zeros, and gets them back.
 * H2 SHA-1 (`ssh-rsa` as the name of a signature), DSA and keys on tokens verify nothing here.
 */
import { createPublicKey, type JsonWebKey, type KeyObject, verify } from 'node:crypto';
import { createWireReader, type WireReader } from '../wire.ts';

interface HostKey {
  readonly key: KeyObject;
  readonly kind: 'ed25519' | 'ecdsa' | 'rsa';
  readonly type: string;
  /* Of a coordinate, of the modulus; unused for ed25519. */
  readonly bytes: number;
}

interface Curve {
  readonly name: string;
  readonly jwk: string;
  readonly bytes: number;
  readonly hash: string;
}

const curves: Readonly<Record<string, Curve>> = {
  'ecdsa-sha2-nistp256': { name: 'nistp256', jwk: 'P-256', bytes: 32, hash: 'sha256' },
  'ecdsa-sha2-nistp384': { name: 'nistp384', jwk: 'P-384', bytes: 48, hash: 'sha384' },
  'ecdsa-sha2-nistp521': { name: 'nistp521', jwk: 'P-521', bytes: 66, hash: 'sha512' },
};
const rsaHashes: Readonly<Record<string, string>> = {
  'rsa-sha2-256': 'sha256',
  'rsa-sha2-512': 'sha512',
};
const edBytes = 32;
const edSignatureBytes = 64;
/* OpenSSH's own bounds of an rsa key, in bytes. */
const rsaBytes = { min: 128, max: 2_048 };
/* An exponent beyond 32 bits is of no use and slow. */
const exponentBytesMax = 4;
const uncompressedPoint = 4;

export interface HostSignature {
  readonly hostKey: Buffer;
  readonly data: Buffer;
  readonly signature: Buffer;
}

/* False for what cannot be a signature as well as for a wrong one. */
export function verifyHostSignature({ hostKey, data, signature }: HostSignature): boolean {
  const host = parseHostKey(hostKey);
  if (host === undefined) return false;
  const reader = createWireReader(signature);
  const algorithm = reader.name();
  const raw = reader.string();
  if (!reader.isWhole()) return false;
  switch (host.kind) {
    case 'ed25519':
      return (
        algorithm === host.type &&
        raw.length === edSignatureBytes &&
        verify(null, data, host.key, raw)
      );
    case 'ecdsa':
      return algorithm === host.type && verifyEcdsa(host, data, raw);
    case 'rsa':
      return verifyRsa(host, data, { algorithm, raw });
  }
}

function verifyEcdsa({ key, type, bytes }: HostKey, data: Buffer, raw: Buffer): boolean {
  const reader = createWireReader(raw);
  const [r, s] = [readPositive(reader, bytes), readPositive(reader, bytes)];
  const hash = curves[type]?.hash;
  if (!reader.isWhole() || r === undefined || s === undefined || hash === undefined) return false;
  const signature = Buffer.concat([padded(r, bytes), padded(s, bytes)]);
  return verify(hash, data, { key, dsaEncoding: 'ieee-p1363' }, signature);
}

function verifyRsa(
  { key, bytes }: HostKey,
  data: Buffer,
  { algorithm, raw }: { readonly algorithm: string; readonly raw: Buffer },
): boolean {
  const hash = rsaHashes[algorithm];
  if (hash === undefined || raw.length > bytes) return false;
  return verify(hash, data, key, padded(raw, bytes));
}

function parseHostKey(blob: Buffer): HostKey | undefined {
  const reader = createWireReader(blob);
  const type = reader.name();
  const parsed = parseByType(type, reader);
  if (parsed === undefined || !reader.isWhole()) return undefined;
  const { jwk, kind, bytes } = parsed;
  try {
    return { key: createPublicKey({ key: jwk, format: 'jwk' }), kind, type, bytes };
  } catch {
    // OpenSSL refuses it, a point that is not on its curve for one; so do we.
    return undefined;
  }
}

interface ParsedKey {
  readonly jwk: JsonWebKey;
  readonly kind: HostKey['kind'];
  readonly bytes: number;
}

function parseByType(type: string, reader: WireReader): ParsedKey | undefined {
  if (type === 'ssh-ed25519') return parseEd25519(reader);
  if (type === 'ssh-rsa') return parseRsa(reader);
  const curve = curves[type];
  return curve === undefined ? undefined : parseEcdsa(reader, curve);
}

function parseEd25519(reader: WireReader): ParsedKey | undefined {
  const x = reader.string();
  if (x.length !== edBytes) return undefined;
  return { jwk: { kty: 'OKP', crv: 'Ed25519', x: base64(x) }, kind: 'ed25519', bytes: edBytes };
}

function parseEcdsa(reader: WireReader, { name, jwk: crv, bytes }: Curve): ParsedKey | undefined {
  const curveName = reader.name();
  const point = reader.string();
  if (curveName !== name || point.length !== 1 + 2 * bytes) return undefined;
  if (point[0] !== uncompressedPoint) return undefined;
  const [x, y] = [point.subarray(1, 1 + bytes), point.subarray(1 + bytes)];
  return { jwk: { kty: 'EC', crv, x: base64(x), y: base64(y) }, kind: 'ecdsa', bytes };
}

function parseRsa(reader: WireReader): ParsedKey | undefined {
  const e = readPositive(reader, exponentBytesMax);
  const n = readPositive(reader, rsaBytes.max);
  if (e === undefined || n === undefined || n.length < rsaBytes.min) return undefined;
  return { jwk: { kty: 'RSA', n: base64(n), e: base64(e) }, kind: 'rsa', bytes: n.length };
}

/* A positive number in its one shortest form, without the zero that keeps its first bit from being a sign. */
function readPositive(reader: WireReader, bytesMax: number): Buffer | undefined {
  const bytes = reader.string();
  const [first = 0, second = 0] = bytes;
  if (first >= 0x80 || (first === 0 && second < 0x80)) return undefined;
  const value = first === 0 ? bytes.subarray(1) : bytes;
  return value.length > bytesMax ? undefined : value;
}

function padded(bytes: Buffer, length: number): Buffer {
  return Buffer.concat([Buffer.alloc(length - bytes.length), bytes]);
}

function base64(bytes: Buffer): string {
  return bytes.toString('base64url');
}
