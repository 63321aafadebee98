/*
 * Settings over HTTP: defaults, changes, and an entry in the audit log for each.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestGateway } from '../fixtures/open-test-gateway.ts';

const patch = (body: unknown): RequestInit => ({
  method: 'PATCH',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

test('settings start with the defaults, a change is kept and audited', async () => {
  await using rig = await openTestGateway();
  const before = await (await rig.request('/api/v1/settings')).json();
  assert.equal(before.idle_timeout_seconds, 1800);

  const changed = await rig.request('/api/v1/settings', {
    ...patch({ idle_timeout_seconds: 600, notifications: { done: false } }),
    headers: { authorization: `Bearer ${rig.owner.token}`, 'content-type': 'application/json' },
  });
  assert.equal(changed.status, 200);
  const after = await (await rig.request('/api/v1/settings')).json();
  assert.equal(after.idle_timeout_seconds, 600);
  assert.equal(after.notifications.done, false);
  assert.equal(after.notifications.failed, true);

  const { entries } = await (await rig.request('/api/v1/audit?action=settings.update')).json();
  assert.equal(entries.length, 1);
  assert.equal(entries[0].actor, `device:${rig.owner.deviceId}`);
  assert.match(entries[0].trace_id, /^[0-9a-f]{32}$/);
});

test('a value out of bounds and an unknown field are refused with where and why', async () => {
  await using rig = await openTestGateway();
  for (const [body, path] of [
    [{ idle_timeout_seconds: 1 }, 'idle_timeout_seconds'],
    [{ colour: 'red' }, ''],
  ] as const) {
    const answer = await rig.request('/api/v1/settings', {
      ...patch(body),
      headers: { authorization: `Bearer ${rig.owner.token}`, 'content-type': 'application/json' },
    });
    const { error } = await answer.json();
    assert.deepEqual([answer.status, error.code], [400, 'validation_error']);
    assert.equal(error.detail.issues[0].path, path);
  }
});

test('without a token nothing is answered', async () => {
  await using rig = await openTestGateway();
  const answer = await fetch(new URL('/api/v1/settings', rig.url));
  assert.equal(answer.status, 401);
  assert.equal((await answer.json()).error.code, 'unauthorized');
});
