/*
 * A gateway among others: generations, beats, and what a restart keeps.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { createSystemClock, createSystemRandom, silentLog } from '@clawdfather/kit';
import { openGateway } from '../../src/open-gateway.ts';
import { createAsk } from '../fixtures/api-client.ts';
import { openCleanupRig } from '../fixtures/open-cleanup-rig.ts';
import { openTestGateway } from '../fixtures/open-test-gateway.ts';

const deps = { clock: createSystemClock(), random: createSystemRandom(), log: silentLog };

test('every 30 s the instance and its leases are told to live on', async () => {
  await using rig = await openCleanupRig();
  const gateway = await rig.openGateway();
  const { id } = await gateway.startSession();
  const before = await rig.read(id);
  await rig.clock.advance(30_000);
  await gateway.instance.beat();
  const after = await rig.read(id);
  assert.equal(after.ownerHeartbeatAtMs - before.ownerHeartbeatAtMs, 30_000);
  // The owner's clock says nothing about the client.
  assert.equal(after.clientHeartbeatAtMs, before.clientHeartbeatAtMs);
  const [instance] = await gateway.store.system.instances.list();
  assert.equal(instance?.heartbeatAtMs, rig.clock.wallMs());
  await gateway.instance.stop();
  await assert.rejects(gateway.instance.beat(), { code: 'unavailable' });
  assert.throws(() => gateway.instance.owner(), { code: 'unavailable' });
});

test('a beat that the database refused is tried again with the next one', async () => {
  await using rig = await openCleanupRig();
  const { instance, store } = await rig.openGateway();
  const { instances } = store.system;
  const heartbeat = instances.heartbeat.bind(instances);
  instances.heartbeat = () => Promise.reject(new Error('on purpose'));
  await assert.rejects(instance.beat());
  await rig.clock.advance(30_000);
  assert.equal(instance.state, 'alive');
  instances.heartbeat = heartbeat;
  await instance.beat();
  assert.equal(instance.state, 'alive');
});

test('a restart closes nothing: the next start owns the session, under a higher epoch', async () => {
  await using rig = await openTestGateway();
  const ask = createAsk(rig);
  const { session } = (await ask('POST', 'sessions', { body: {} })).body;
  await rig.gateway.close();
  await using next = await openGateway(rig.config, deps);
  const { sessions } = next.store.forAccount(rig.owner.accountId);
  let row = await sessions.get(session.id);
  // The first clean-up begins with the start.
  while (row?.epoch === 1) {
    await setImmediate();
    row = await sessions.get(session.id);
  }
  assert.deepEqual([row?.status, row?.epoch, row?.ownerGeneration], ['active', 2, 2]);
  const again = createAsk({ url: next.url, owner: rig.owner });
  assert.equal((await again('GET', `sessions/${session.id}`)).body.session.status, 'active');
});

test('a start that cannot listen does not push out the gateway that can', async () => {
  await using rig = await openTestGateway();
  const { port } = new URL(rig.url);
  const config = { ...rig.config, listen: { host: '127.0.0.1', port: Number(port) } };
  await assert.rejects(openGateway(config, deps), { code: 'listen-failed' });
  const [instance] = await rig.gateway.store.system.instances.list();
  assert.deepEqual([instance?.generation, instance?.stoppedAtMs], [1, undefined]);
  assert.equal((await createAsk(rig)('POST', 'sessions', { body: {} })).status, 201);
});

test('a second gateway on the same state directory takes over; the first says so and starts nothing more', async () => {
  const beat = Promise.withResolvers<() => void>();
  // The timer of the instance is the first of 30 s.
  const clock = {
    ...deps.clock,
    timer: (ms: number, fire: () => void) => {
      if (ms === 30_000) beat.resolve(fire);
      return deps.clock.timer(ms, fire);
    },
  };
  await using rig = await openTestGateway({ deps: { clock } });
  const ask = createAsk(rig);
  await using second = await openGateway(rig.config, deps);
  const superseded = once(rig.gateway.superseded, 'abort');
  (await beat.promise)();
  await superseded;
  const refused = await ask('POST', 'sessions', { body: {} });
  assert.deepEqual([refused.status, refused.body.error.code], [503, 'unavailable']);
  const other = createAsk({ url: second.url, owner: rig.owner });
  assert.equal((await other('POST', 'sessions', { body: {} })).status, 201);
});
