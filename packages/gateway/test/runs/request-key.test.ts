/*
 * Keys and what they stand for.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isId } from '@clawdfather/kit';
import { hashRequest, parseKey, runIdOfKey } from '../../src/runs/request-key.ts';

test('an account’s key has one id, which looks like any other', () => {
  const id = runIdOfKey('account', 'key');
  assert.ok(isId(id));
  assert.equal(runIdOfKey('account', 'key'), id);
  assert.notEqual(runIdOfKey('account', 'key2'), id);
  assert.notEqual(runIdOfKey('account2', 'key'), id);
});

test('a request is the same whatever the order of its fields, and another with any other value', () => {
  const one = hashRequest({ command: 'x', env: { A: '1', B: '2' } });
  assert.equal(hashRequest({ env: { B: '2', A: '1' }, command: 'x' }), one);
  assert.notEqual(hashRequest({ command: 'x', env: { A: '1', B: '3' } }), one);
  assert.notEqual(hashRequest({ argv: ['a', 'b'] }), hashRequest({ argv: ['b', 'a'] }));
});

test('a key is a short word', () => {
  assert.equal(parseKey(undefined), undefined);
  assert.equal(parseKey('6f1c-ab'), '6f1c-ab');
  for (const bad of ['', 'a b', 'ä', 'x'.repeat(201)]) {
    assert.throws(() => parseKey(bad), { code: 'validation_error' });
  }
});
