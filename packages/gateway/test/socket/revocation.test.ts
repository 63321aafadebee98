/*
 * A token that is good no longer has no sockets: revoked here, revoked by another gateway, or run out.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSystemClock, createSystemRandom } from '@clawdfather/kit';
import { openStore } from '@clawdfather/store';
import { addDevice, openTestGateway } from '../fixtures/open-test-gateway.ts';
import { openRunSocket, startRun } from './fixtures.ts';

const audit = { action: 'test', actor: 'test' };

test('revoking a device closes its sockets with 4001 and no other ones', async () => {
  await using rig = await openTestGateway();
  const runId = await startRun(rig, { command: 'sleep 60' });
  const phone = await addDevice(rig.gateway, rig.owner.accountId);
  await using one = await openRunSocket(rig, runId, phone);
  await using two = await openRunSocket(rig, runId, phone);
  await using mine = await openRunSocket(rig, runId);
  const answer = await rig.request(`/api/v1/auth/sessions/${phone.deviceId}`, { method: 'DELETE' });
  assert.ok(answer.ok, String(answer.status));
  assert.equal((await one.closed).code, 4001);
  assert.equal((await two.closed).code, 4001);
  mine.send({ type: 'heartbeat' });
  await mine.next('heartbeat_ack');
});

test('a revocation by another gateway on the same database closes them as well', async () => {
  await using rig = await openTestGateway();
  const runId = await startRun(rig, { command: 'sleep 60' });
  const phone = await addDevice(rig.gateway, rig.owner.accountId);
  await using socket = await openRunSocket(rig, runId, phone);
  await using elsewhere = await openStore(rig.config.database, {
    clock: createSystemClock(),
    random: createSystemRandom(),
  });
  await elsewhere.forAccount(rig.owner.accountId).devices.revoke({ id: phone.deviceId, audit });
  assert.equal((await socket.closed).code, 4001);
});

test('a token whose time is up loses its sockets', async () => {
  const system = createSystemClock();
  let laterMs = 0;
  const clock = { ...system, wallMs: () => system.wallMs() + laterMs };
  await using rig = await openTestGateway({ deps: { clock } });
  const runId = await startRun(rig, { command: 'sleep 60' });
  await using socket = await openRunSocket(rig, runId);
  laterMs = 91 * 86_400_000;
  assert.equal((await socket.closed).code, 4001);
  laterMs = 0;
});
