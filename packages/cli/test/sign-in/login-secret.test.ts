/*
 * What people paste to sign in.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseLoginSecret } from '../../src/sign-in/login-secret.ts';

const secret = 'yxibZ95JtoUavZ7xTDuvQZsysP_OJfMwv7-yCZoU3fc';

test('a whole link, its secret alone, or a token', () => {
  assert.deepEqual(parseLoginSecret(`https://a.example:8420/login#clf-link=${secret}`), {
    kind: 'link',
    secret,
    origin: 'https://a.example:8420',
  });
  assert.deepEqual(parseLoginSecret(secret), { kind: 'link', secret, origin: undefined });
  assert.deepEqual(parseLoginSecret(`clf_${secret}`), { kind: 'token', token: `clf_${secret}` });
});

test('anything else is refused without being shown', () => {
  for (const text of [
    '',
    'hello',
    `clf_${secret}x`,
    `https://a.example/login?clf-link=${secret}`,
  ]) {
    assert.throws(
      () => parseLoginSecret(text),
      (error: Error & { code?: string }) =>
        error.code === 'sign-in-refused' && !error.message.includes(secret),
      text,
    );
  }
});
