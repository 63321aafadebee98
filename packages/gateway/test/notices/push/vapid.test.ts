/*
 * Who sends a push is said as RFC 8292 has it.
 */
import assert from 'node:assert/strict';
import { createPublicKey, verify } from 'node:crypto';
import { test } from 'node:test';
import { formatVapid, vapidKeyOf } from '../../../src/notices/channels/push/vapid.ts';

/* RFC 8292, section 2.4: its token, the public key of it, and when it is made so that it ends as in the example. */
const example = {
  token:
    'eyJ0eXAiOiJKV1QiLCJhbGciOiJFUzI1NiJ9.eyJhdWQiOiJodHRwczovL3B1c2guZXhhbXBsZS5uZXQiLCJleHAiOjE0NTM1MjM3NjgsInN1YiI6Im1haWx0bzpwdXNoQGV4YW1wbGUuY29tIn0.i3CYb7t4xfxCDquptFOepC9GAu_HLGkMlMuCGSK2rpiUfnK9ojFwDXb1JrErtmysazNjjvW2L9OkSSHzvoD1oA',
  key: 'BA1Hxzyi1RUM1b5wjxsn7nGxAszw2u61m164i3MrAIxHF6YK5h4SDYic-dRuU_RCPCfA5aq9ojSwk5Y2EmClBPs',
  subject: 'mailto:push@example.com',
  audience: 'https://push.example.net',
  expS: 1_453_523_768,
};

function publicKeyOf(point: string) {
  const bytes = Buffer.from(point, 'base64url');
  const x = bytes.subarray(1, 33).toString('base64url');
  const y = bytes.subarray(33).toString('base64url');
  return createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' });
}

function isSigned(token: string, point: string): boolean {
  const [head = '', claims = '', signature = ''] = token.split('.');
  return verify(
    'sha256',
    Buffer.from(`${head}.${claims}`),
    { key: publicKeyOf(point), dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  );
}

test('header and claims are those of the example, byte for byte', () => {
  const key = vapidKeyOf(Buffer.alloc(32, 7));
  const { audience, subject, expS } = example;
  const nowMs = (expS - 12 * 3_600) * 1_000;
  const written = formatVapid(key, { audience, subject, nowMs });
  const [, token = '', point = ''] = /^vapid t=([^,]+), k=(\S+)$/.exec(written) ?? [];
  // A signature has chance in it; what is signed has none.
  assert.deepEqual(token.split('.').slice(0, 2), example.token.split('.').slice(0, 2));
  assert.equal(point, key.publicKey);
  assert.ok(isSigned(token, point));
});

test('the way in which the signature is checked takes the example, and nothing else', () => {
  assert.ok(isSigned(example.token, example.key));
  const [head, claims] = example.token.split('.');
  const forged = [head, claims, Buffer.alloc(64, 1).toString('base64url')].join('.');
  assert.equal(isSigned(forged, example.key), false);
  assert.equal(isSigned(example.token, vapidKeyOf(Buffer.alloc(32, 7)).publicKey), false);
});
