/*
 * The owner's clock: whose leases are taken, when, by how many, and what becomes of what is gone.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decideOn } from '@clawdfather/sessions';
import { audit, openCleanupRig } from '../fixtures/open-cleanup-rig.ts';

const minute = 60_000;

test('a new start takes the leases of the one before at once', async () => {
  await using rig = await openCleanupRig();
  const before = await rig.openGateway();
  const { id } = await before.startSession();
  const after = await rig.openGateway();
  await after.cleanup.runNow();
  const session = await rig.read(id);
  assert.deepEqual(
    [session.status, session.epoch, session.ownerGeneration, after.tally.adopted],
    ['active', 2, 2, 1],
  );
  const { entries } = await rig.account.auditLog.list({ action: 'session.adopt' });
  assert.deepEqual([entries.length, entries[0]?.actor], [1, 'cleanup']);
});

test('the one before learns that it was superseded, and does nothing more', async () => {
  await using rig = await openCleanupRig();
  const before = await rig.openGateway();
  const { id } = await before.startSession();
  const after = await rig.openGateway();
  await before.cleanup.runNow();
  assert.equal(before.instance.state, 'superseded');
  assert.equal(before.instance.superseded.aborted, true);
  assert.throws(() => before.instance.owner(), { code: 'unavailable' });
  assert.deepEqual([before.tally.reconciled, before.tally.reports.length], [0, 0]);
  assert.equal(after.instance.state, 'alive');
  assert.equal((await rig.read(id)).epoch, 1);
  await before.instance.stop();
  const [instance] = await after.store.system.instances.list();
  assert.deepEqual([instance?.generation, instance?.stoppedAtMs], [2, undefined]);
});

test("another gateway's leases are taken after two minutes of silence, by one of those who try", async () => {
  await using rig = await openCleanupRig();
  const silent = await rig.openGateway({ instanceId: 'gateway-a' });
  const { id } = await silent.startSession();
  const [one, two] = [
    await rig.openGateway({ instanceId: 'gateway-b' }),
    await rig.openGateway({ instanceId: 'gateway-c' }),
  ];
  await rig.clock.advance(2 * minute);
  await Promise.all([one.cleanup.runNow(), two.cleanup.runNow()]);
  // The beats of the instance's own timer have kept it.
  assert.equal((await rig.read(id)).epoch, 1);
  await silent.cleanup.stop();
  await silent.instance.stop();
  await rig.clock.advance(2 * minute);
  await Promise.all([one.cleanup.runNow(), two.cleanup.runNow()]);
  assert.equal((await rig.read(id)).epoch, 1);
  await rig.clock.advance(1);
  await Promise.all([one.cleanup.runNow(), two.cleanup.runNow()]);
  const session = await rig.read(id);
  assert.deepEqual([session.epoch, session.status], [2, 'active']);
  assert.equal(one.tally.adopted + two.tally.adopted, 1);
});

test('what the session stood on is gone: closed with a timeout, counted and audited', async () => {
  await using rig = await openCleanupRig();
  const before = await rig.openGateway();
  const { id } = await before.startSession();
  const after = await rig.openGateway({ keeper: { adopt: async () => 'gone' } });
  await after.cleanup.runNow();
  const session = await rig.read(id);
  assert.deepEqual([session.status, session.closeReason, session.epoch], ['closed', 'timeout', 2]);
  assert.deepEqual([after.tally.orphansCleaned, after.tally.closed], [1, ['timeout']]);
  const { entries } = await rig.account.auditLog.list({ action: 'session.timeout' });
  assert.deepEqual(entries[0]?.detail, { why: 'orphaned' });
});

test('a start that its gateway did not survive becomes an error, not a session', async () => {
  await using rig = await openCleanupRig();
  const before = await rig.openGateway();
  const created = await rig.account.sessions.create({
    agent: 'a',
    owner: before.instance.owner(),
    openMax: 3,
    audit,
  });
  assert.ok('session' in created);
  const after = await rig.openGateway();
  await after.cleanup.runNow();
  const session = await rig.read(created.session.id);
  assert.deepEqual([session.status, session.errorCode], ['error', 'start_interrupted']);
  assert.deepEqual(after.tally.failed, ['the gateway was lost while it started the session']);
});

test('what an owner decided before it was robbed is refused after it', async () => {
  await using rig = await openCleanupRig();
  const robbed = await rig.openGateway();
  const { id } = await robbed.startSession();
  for (let count = 0; count < 35; count += 1) {
    await rig.clock.advance(minute);
    await robbed.cleanup.runNow();
  }
  await rig.clock.advance(minute);
  const before = await rig.read(id);
  // Held up between reading what is idle and closing it, until the lease is somebody else's.
  const { leases } = robbed.store.system;
  const idle = leases.idle.bind(leases);
  leases.idle = async (...asked) => {
    const due = await idle(...asked);
    assert.equal(due.length, 1);
    const thief = await rig.openGateway();
    const take = decideOn({ type: 'taken', by: thief.instance.owner() }, audit);
    await rig.account.sessions.change(id, take);
    return due;
  };
  await robbed.cleanup.runNow();
  const session = await rig.read(id);
  assert.deepEqual([session.status, session.ownerGeneration, session.epoch], ['active', 2, 2]);
  // Nothing but the epoch stood in the way.
  assert.equal(session.clientHeartbeatAtMs, before.clientHeartbeatAtMs);
  assert.deepEqual(robbed.ended, []);
});
