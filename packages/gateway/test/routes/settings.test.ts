/*
 * Settings over HTTP: defaults, changes, and an entry in the audit log for each.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAsk } from '../fixtures/api-client.ts';
import { openTestGateway } from '../fixtures/open-test-gateway.ts';

test('settings start with the defaults, a change is kept and audited', async () => {
  await using rig = await openTestGateway();
  const ask = createAsk(rig);
  assert.equal((await ask('GET', 'settings')).body.idle_timeout_seconds, 1800);

  const change = { idle_timeout_seconds: 600, notifications: { done: false } };
  assert.equal((await ask('PATCH', 'settings', { body: change })).status, 200);
  const { body: after } = await ask('GET', 'settings');
  assert.equal(after.idle_timeout_seconds, 600);
  assert.equal(after.notifications.done, false);
  assert.equal(after.notifications.failed, true);

  const { body: audit } = await ask('GET', 'audit?action=settings.update');
  assert.equal(audit.entries.length, 1);
  assert.equal(audit.entries[0].actor, `device:${rig.owner.deviceId}`);
  assert.match(audit.entries[0].trace_id, /^[0-9a-f]{32}$/);
});

test('a value out of bounds and an unknown field are refused with where and why', async () => {
  await using rig = await openTestGateway();
  const ask = createAsk(rig);
  for (const [body, path] of [
    [{ idle_timeout_seconds: 1 }, 'idle_timeout_seconds'],
    [{ colour: 'red' }, ''],
  ] as const) {
    const answer = await ask('PATCH', 'settings', { body });
    const { error } = answer.body;
    assert.deepEqual([answer.status, error.code], [400, 'validation_error']);
    assert.equal(error.detail.issues[0].path, path);
  }
});
