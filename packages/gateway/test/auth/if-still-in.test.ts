/*
 * Requests that wait while their token is revoked.
 */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { addDevice, openTestGateway } from '../fixtures/open-test-gateway.ts';
import { callerOf } from '../fixtures/api-caller.ts';

test('what a revoked device waited for is not told to it, and goes on', async () => {
  await using rig = await openTestGateway();
  const me = callerOf(rig.url, rig.owner.token);
  const { token, deviceId } = await addDevice(rig.gateway, rig.owner.accountId);
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const begun = join(rig.directory, 'begun');
  const go = join(rig.directory, 'go');
  const waitsForGo = `touch ${begun}; until [ -e ${go} ]; do sleep 0.02; done`;
  const starting = rig.request('/api/v1/runs', {
    method: 'POST',
    headers,
    body: JSON.stringify({ command: `${waitsForGo}; echo secret`, yieldMs: 20_000 }),
  });
  const listed = async () => {
    const { body } = await me.get('/api/v1/runs');
    return body.items;
  };
  let run = (await listed())[0];
  while (run === undefined || !existsSync(begun)) run = (await listed())[0];
  const waiting = rig.request(`/api/v1/runs/${run.runId}/wait`, { headers });
  await rig.request(`/api/v1/runs/${run.runId}`);
  assert.equal(
    (await rig.request(`/api/v1/auth/sessions/${deviceId}`, { method: 'DELETE' })).status,
    204,
  );
  // Longer than an answer that nobody looks at again.
  const enough = { command: `sleep 0.6; touch ${go}`, yieldMs: 10_000 };
  const json = { 'content-type': 'application/json' };
  await rig.request('/api/v1/runs', {
    method: 'POST',
    headers: json,
    body: JSON.stringify(enough),
  });
  for (const answer of await Promise.all([starting, waiting])) {
    assert.equal(answer.status, 401);
    assert.ok(!(await answer.text()).includes('secret'));
  }
  const { exit } = await me.untilEnded(run.runId);
  assert.equal(exit.reason, 'exit');
});
