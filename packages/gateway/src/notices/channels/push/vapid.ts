/*
 * Who sends a push, as RFC 8292 has it: a token that names the push service, ends within a day, says how to reach whoever runs the gateway, and is
 * signed by the key that the browser subscribed with.
 */
import { createECDH, createPrivateKey, type KeyObject, sign } from 'node:crypto';
import type { Random } from '@clawdfather/kit';

export interface VapidKey {
  /* The point, 65 bytes in base64url. */
  readonly publicKey: string;
  readonly privateKey: KeyObject;
}

export interface VapidClaims {
  /* The origin of the push service. */
  readonly audience: string;
  /* `mailto:` or `https:`. */
  readonly subject: string;
  readonly nowMs: number;
}

/* A day is the most that is allowed, and clocks differ. */
const tokenSeconds = 12 * 3_600;
const scalarBytes = 32;

export function newScalar(random: Random): Buffer {
  return Buffer.from(random.bytes(scalarBytes));
}

export function vapidKeyOf(scalar: Buffer): VapidKey {
  const pair = createECDH('prime256v1');
  pair.setPrivateKey(scalar);
  const point = pair.getPublicKey();
  const half = (from: number): string =>
    point.subarray(from, from + scalarBytes).toString('base64url');
  const jwk = {
    kty: 'EC',
    crv: 'P-256',
    d: scalar.toString('base64url'),
    x: half(1),
    y: half(1 + scalarBytes),
  };
  return {
    publicKey: point.toString('base64url'),
    privateKey: createPrivateKey({ key: jwk, format: 'jwk' }),
  };
}

/* For the header `Authorization`. */
export function formatVapid(
  { publicKey, privateKey }: VapidKey,
  { audience, subject, nowMs }: VapidClaims,
): string {
  const claims = { aud: audience, exp: Math.floor(nowMs / 1_000) + tokenSeconds, sub: subject };
  const signed = [{ typ: 'JWT', alg: 'ES256' }, claims].map(encodeJson).join('.');
  const signature = sign('sha256', Buffer.from(signed), {
    key: privateKey,
    dsaEncoding: 'ieee-p1363',
  });
  return `vapid t=${signed}.${signature.toString('base64url')}, k=${publicKey}`;
}

function encodeJson(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
