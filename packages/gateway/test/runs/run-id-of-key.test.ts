/*
 * Which run a key stands for.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isId } from '@clawdfather/kit';
import { runIdOfKey } from '../../src/runs/run-id-of-key.ts';

test('an account’s key has one id, which looks like any other', () => {
  const id = runIdOfKey('account', 'key');
  assert.ok(isId(id));
  assert.equal(runIdOfKey('account', 'key'), id);
  assert.notEqual(runIdOfKey('account', 'key2'), id);
  assert.notEqual(runIdOfKey('account2', 'key'), id);
});
