/*
 * Host keys of every kind, made by node:crypto, with blobs and signatures as OpenSSH writes them.
 */
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { formatString } from '../../src/wire.ts';

export interface TestHost {
  readonly blob: Buffer;
  sign(data: Buffer, algorithm?: string): Buffer;
}

const curves = {
  nistp256: { curve: 'P-256', hash: 'sha256', bytes: 32 },
  nistp384: { curve: 'P-384', hash: 'sha384', bytes: 48 },
  nistp521: { curve: 'P-521', hash: 'sha512', bytes: 66 },
} as const;

export const hostKinds = ['ed25519', 'nistp256', 'nistp384', 'nistp521', 'rsa'] as const;

export function makeHost(kind: (typeof hostKinds)[number] = 'ed25519'): TestHost {
  if (kind === 'ed25519') return edHost();
  return kind === 'rsa' ? rsaHost() : ecHost(kind);
}

function edHost(): TestHost {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const type = 'ssh-ed25519';
  return {
    blob: join(type, part(publicKey, 'x')),
    sign: (data, algorithm = type) => join(algorithm, sign(null, data, privateKey)),
  };
}

function ecHost(name: keyof typeof curves): TestHost {
  const { curve, hash, bytes } = curves[name];
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: curve });
  const type = `ecdsa-sha2-${name}`;
  const point = Buffer.concat([Buffer.from([4]), part(publicKey, 'x'), part(publicKey, 'y')]);
  return {
    blob: join(type, name, point),
    sign: (data, algorithm = type) => {
      const raw = sign(hash, data, { key: privateKey, dsaEncoding: 'ieee-p1363' });
      return join(algorithm, join(mpint(raw.subarray(0, bytes)), mpint(raw.subarray(bytes))));
    },
  };
}

function rsaHost(): TestHost {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return {
    blob: join('ssh-rsa', mpint(part(publicKey, 'e')), mpint(part(publicKey, 'n'))),
    sign: (data, algorithm = 'rsa-sha2-512') => {
      const hash = { 'rsa-sha2-256': 'sha256', 'ssh-rsa': 'sha1' }[algorithm] ?? 'sha512';
      return join(algorithm, sign(hash, data, privateKey));
    },
  };
}

function part(key: KeyObject, name: 'x' | 'y' | 'n' | 'e'): Buffer {
  return Buffer.from(key.export({ format: 'jwk' })[name] ?? '', 'base64url');
}

/* The shortest form, with a zero where the first bit would be a sign. */
function mpint(bytes: Buffer): Buffer {
  const first = bytes.findIndex((byte) => byte !== 0);
  const short = first < 0 ? Buffer.alloc(0) : bytes.subarray(first);
  return (short[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.from([0]), short]) : short;
}

export function join(...parts: readonly (Buffer | string)[]): Buffer {
  return Buffer.concat(parts.map((each) => formatString(each)));
}
