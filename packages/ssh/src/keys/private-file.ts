/*
 * The private file of openssh-key.ts, read back: the key as node:crypto signs with it.
 *
 * PF1 Nothing of the private half becomes a JavaScript string, which could not be overwritten. The decoded bytes are overwritten
 *     before the key is returned; OpenSSL overwrites its own copy when the key object goes.
 */
import { createPrivateKey, type KeyObject } from 'node:crypto';
import { createWireReader } from '../wire.ts';

export interface PrivateKey {
  readonly key: KeyObject;
  /* The public half that the file says it belongs to. */
  readonly publicBlob: Buffer;
}

const magic = Buffer.from('openssh-key-v1\0');
const keyType = 'ssh-ed25519';
const seedBytes = 32;
/* RFC 8410: an ed25519 key in PKCS8 is this, then the seed. */
const pkcs8Start = Buffer.from('302e020100300506032b657004220420', 'hex');
const newline = 0x0a;
const base64Alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/* `undefined`: it is not such a file. */
export function parsePrivateFile(file: Buffer): PrivateKey | undefined {
  const start = file.indexOf(newline);
  const end = file.indexOf('-----END');
  if (start < 0 || end < start) return undefined;
  const whole = decodeBase64(file.subarray(start, end));
  try {
    return parseWhole(whole);
  } finally {
    whole.fill(0);
  }
}

function parseWhole(whole: Buffer): PrivateKey | undefined {
  if (!whole.subarray(0, magic.length).equals(magic)) return undefined;
  const outer = createWireReader(whole.subarray(magic.length));
  const [cipher, derivation] = [outer.name(), outer.name()];
  outer.string();
  const count = outer.uint32();
  const publicBlob = Buffer.from(outer.string());
  const inner = createWireReader(outer.string());
  if (!outer.isWhole() || cipher !== 'none' || derivation !== 'none' || count !== 1)
    return undefined;
  const [check, again] = [inner.uint32(), inner.uint32()];
  const type = inner.name();
  const point = inner.string();
  const secret = inner.string();
  inner.string();
  inner.rest();
  const isOurs = inner.isWhole() && check === again && type === keyType;
  if (!isOurs || secret.length !== 2 * seedBytes || !secret.subarray(seedBytes).equals(point))
    return undefined;
  return { key: keyOf(secret.subarray(0, seedBytes)), publicBlob };
}

function keyOf(seed: Buffer): KeyObject {
  const der = Buffer.concat([pkcs8Start, seed]);
  try {
    return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  } finally {
    der.fill(0);
  }
}

/* PF1: from bytes to bytes. Padding and line ends have no value and are skipped. */
function decodeBase64(text: Buffer): Buffer {
  const out = Buffer.alloc(Math.ceil((text.length * 3) / 4));
  let length = 0;
  let pending = 0;
  let pendingBits = 0;
  for (const character of text) {
    const value = valueOf.get(character);
    if (value === undefined) continue;
    pending = ((pending << 6) | value) & 0xffff;
    pendingBits += 6;
    if (pendingBits < 8) continue;
    pendingBits -= 8;
    out[length] = (pending >> pendingBits) & 0xff;
    length += 1;
  }
  return out.subarray(0, length);
}

const valueOf: ReadonlyMap<number, number> = new Map(
  Array.from(Buffer.from(base64Alphabet), (character, value) => [character, value]),
);
