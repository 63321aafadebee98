/*
 * Keys, and requests that are the same.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashRequest, parseIdempotencyKey } from '../../src/http/idempotency-key.ts';

test('a request is the same whatever the order of its fields, and another with any other value', () => {
  const one = hashRequest({ command: 'x', env: { A: '1', B: '2' } });
  assert.equal(hashRequest({ env: { B: '2', A: '1' }, command: 'x' }), one);
  assert.notEqual(hashRequest({ command: 'x', env: { A: '1', B: '3' } }), one);
  assert.notEqual(hashRequest({ argv: ['a', 'b'] }), hashRequest({ argv: ['b', 'a'] }));
});

test('a key is a short word', () => {
  assert.equal(parseIdempotencyKey(undefined), undefined);
  assert.equal(parseIdempotencyKey('6f1c-ab'), '6f1c-ab');
  for (const bad of ['', 'a b', 'ä', 'x'.repeat(201)]) {
    assert.throws(() => parseIdempotencyKey(bad), { code: 'validation_error' });
  }
});
