/*
 * The client's clock: who counts as a client, when a session is closed for want of one, and what is no idleness.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AuditedEvent, decideOn } from '@clawdfather/sessions';
import {
  type CleanupRig,
  openCleanupRig,
  type RigGateway,
  audit,
} from '../fixtures/open-cleanup-rig.ts';

const minute = 60_000;

/* Minutes go by, with a gateway at work. */
async function pass(rig: CleanupRig, gateway: RigGateway, minutes: number): Promise<void> {
  for (let count = 0; count < minutes; count += 1) {
    await rig.clock.advance(minute);
    await gateway.cleanup.runNow();
  }
}

test('nobody for 30 minutes and 5 of grace: closed with a timeout, its leftovers ended, and audited', async () => {
  await using rig = await openCleanupRig();
  const gateway = await rig.openGateway();
  const { id } = await gateway.startSession();
  await pass(rig, gateway, 35);
  assert.equal((await rig.read(id)).status, 'active');
  await pass(rig, gateway, 1);
  const session = await rig.read(id);
  assert.deepEqual([session.status, session.closeReason], ['closed', 'timeout']);
  assert.deepEqual(gateway.ended, [id]);
  assert.deepEqual(gateway.tally.closed, ['timeout']);
  const { entries } = await rig.account.auditLog.list({ action: 'session.timeout' });
  assert.deepEqual(
    entries.map(({ actor, target, detail }) => ({ actor, target, detail })),
    [{ actor: 'cleanup', target: id, detail: { why: 'idle' } }],
  );
});

test('a client that is heard keeps its session, and the account sets how long', async () => {
  await using rig = await openCleanupRig();
  const gateway = await rig.openGateway();
  const { id } = await gateway.startSession();
  await pass(rig, gateway, 34);
  await rig.account.sessions.clientSeen(id);
  await pass(rig, gateway, 34);
  assert.equal((await rig.read(id)).status, 'active');
  await rig.account.settings.update({ settings: { idleTimeoutMs: 60 * minute }, audit });
  await pass(rig, gateway, 31);
  assert.equal((await rig.read(id)).status, 'active');
  await pass(rig, gateway, 1);
  assert.equal((await rig.read(id)).status, 'closed');
});

test('a command under way counts as a client, and the clock runs from its end', async () => {
  await using rig = await openCleanupRig();
  const gateway = await rig.openGateway();
  const { id } = await gateway.startSession();
  gateway.busy.push({ accountId: rig.account.accountId, id });
  await pass(rig, gateway, 60);
  assert.equal((await rig.read(id)).status, 'active');
  gateway.busy.length = 0;
  await pass(rig, gateway, 35);
  assert.equal((await rig.read(id)).status, 'active');
  await pass(rig, gateway, 1);
  assert.equal((await rig.read(id)).status, 'closed');
});

test('a command counts on whichever gateway it runs, not only on the one that owns the lease', async () => {
  await using rig = await openCleanupRig();
  const owner = await rig.openGateway();
  const worker = await rig.openGateway({ instanceId: 'gateway-b' });
  const { id } = await owner.startSession();
  worker.busy.push({ accountId: rig.account.accountId, id });
  for (let count = 0; count < 60; count += 1) {
    await rig.clock.advance(minute);
    await worker.cleanup.runNow();
    await owner.cleanup.runNow();
  }
  assert.equal((await rig.read(id)).status, 'active');
});

test('a client that comes back while the clean-up looks finds its session open', async () => {
  await using rig = await openCleanupRig();
  const gateway = await rig.openGateway();
  const { id } = await gateway.startSession();
  await pass(rig, gateway, 35);
  const { leases } = gateway.store.system;
  const idle = leases.idle.bind(leases);
  leases.idle = async (...asked) => {
    const due = await idle(...asked);
    assert.equal(due.length, 1);
    await rig.account.sessions.clientSeen(id);
    return due;
  };
  await pass(rig, gateway, 1);
  assert.equal((await rig.read(id)).status, 'active');
  assert.deepEqual(gateway.ended, []);
});

test('a machine that slept all night finds its sessions open in the morning, with the time they had left', async () => {
  await using rig = await openCleanupRig();
  const gateway = await rig.openGateway();
  const { id } = await gateway.startSession();
  await pass(rig, gateway, 20);
  rig.clock.jumpWall(rig.clock.wallMs() + 8 * 60 * minute);
  await pass(rig, gateway, 15);
  assert.equal((await rig.read(id)).status, 'active');
  await pass(rig, gateway, 2);
  assert.equal((await rig.read(id)).status, 'closed');
});

test('a gateway that was down all night closes nothing when it starts', async () => {
  await using rig = await openCleanupRig();
  const before = await rig.openGateway();
  const { id } = await before.startSession();
  await pass(rig, before, 20);
  await before.cleanup.stop();
  await before.instance.stop();
  assert.equal((await rig.read(id)).status, 'active');
  await rig.clock.advance(8 * 60 * minute);
  const after = await rig.openGateway();
  await after.cleanup.runNow();
  const session = await rig.read(id);
  assert.deepEqual([session.status, session.epoch], ['active', 2]);
  await pass(rig, after, 14);
  assert.equal((await rig.read(id)).status, 'active');
  await pass(rig, after, 2);
  assert.equal((await rig.read(id)).status, 'closed');
});

test('work of a session that was closed on purpose is ended; of one that ran out of time it is left alone', async () => {
  await using rig = await openCleanupRig();
  const gateway = await rig.openGateway();
  const { accountId } = rig.account;
  const isEndedAfter = async (id: string, event: AuditedEvent): Promise<boolean> => {
    const { outcome } = await rig.account.sessions.change(id, decideOn(event, audit));
    assert.equal(outcome, 'changed');
    gateway.busy.push({ accountId, id });
    await gateway.cleanup.runNow();
    gateway.busy.length = 0;
    return gateway.ended.includes(id);
  };
  for (const reason of ['user', 'server_closed', 'key_revoked'] as const) {
    const { id } = await gateway.startSession();
    assert.equal(await isEndedAfter(id, { type: 'closed', reason }), true, reason);
  }
  const { id, epoch } = await gateway.startSession();
  assert.equal(await isEndedAfter(id, { type: 'lost', epoch }), false);
  assert.equal((await rig.read(id)).closeReason, 'timeout');
  const owner = gateway.instance.owner();
  const made = await rig.account.sessions.create({ agent: 'a', owner, openMax: 100, audit });
  assert.ok('session' in made);
  const { id: unstarted } = made.session;
  assert.equal(await isEndedAfter(unstarted, { type: 'lost', epoch: 1 }), false);
  assert.equal((await rig.read(unstarted)).closeReason, 'error');
});
