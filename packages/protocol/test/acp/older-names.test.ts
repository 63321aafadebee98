/*
 * Names of older clients, and methods by every name they go by.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findMethod, renameParams, rpcMethods } from '@clawdfather/protocol/acp';

test('every method is found with and without the older prefix', () => {
  for (const name of Object.keys(rpcMethods)) {
    assert.deepEqual(findMethod(name), { name, isOlder: false });
    assert.deepEqual(findMethod(`xworkmate.${name}`), { name, isOlder: true });
  }
  assert.equal(findMethod('capabilities')?.name, 'acp.capabilities');
  for (const name of ['', 'xworkmate.', 'constructor', '__proto__', 'toString', 'tasks']) {
    assert.equal(findMethod(name), undefined, name);
  }
});

test('older parameters get the names of today, which win where both come', () => {
  const older = { appThreadKey: 'a', taskId: 't', clientRequestId: 'c', other: 1 };
  const { value, isOlder } = renameParams(older);
  assert.equal(isOlder, true);
  assert.deepEqual(value, { ...older, threadId: 'a', turnId: 't', idempotencyKey: 'c' });
  const both = renameParams({ openclawSessionKey: 'old', threadId: 'new' });
  assert.equal((both.value as { threadId: string }).threadId, 'new');
  assert.equal(renameParams({ threadId: 'x' }).isOlder, false);
  assert.equal(renameParams({ routing: {} }).isOlder, true);
  assert.equal(renameParams(JSON.parse('{"__proto__": {"taskId": 1}}')).isOlder, false);
});

test('a code of before is the one of today', () => {
  const { code } = rpcMethods['tasks.list'].params.parse({ code: 'TASK_SLA_EXPIRED' });
  assert.equal(code, 'OPENCLAW_RUN_DEADLINE_EXCEEDED');
});
