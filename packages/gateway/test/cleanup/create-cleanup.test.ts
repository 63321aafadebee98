/*
 * The job itself: when it runs, that it never overlaps, and that one broken step does not keep the others from their work.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openCleanupRig } from '../fixtures/open-cleanup-rig.ts';

const minute = 60_000;

test('it runs at the start and every 60 s, and retention every 10 minutes', async () => {
  await using rig = await openCleanupRig();
  const { cleanup, tally } = await rig.openGateway();
  cleanup.start();
  await cleanup.runNow();
  assert.equal(tally.reports.length, 1);
  for (let count = 0; count < 10; count += 1) {
    await rig.clock.advance(minute);
    await cleanup.runNow();
  }
  // Each `runNow` waited for the one under way, or was one of its own where that was over already.
  assert.ok(tally.reports.length >= 11);
  assert.equal(tally.collected, 2);
  assert.ok(tally.reports.every(({ failedSteps }) => failedSteps.length === 0));
});

test('with members, whose output is bounded, retention is looked at every time', async () => {
  await using rig = await openCleanupRig();
  const { cleanup, tally } = await rig.openGateway({ hasMembers: true });
  await cleanup.runNow();
  await cleanup.runNow();
  assert.equal(tally.collected, 2);
});

test('a run that takes longer than a minute is not joined by a second one', async () => {
  await using rig = await openCleanupRig();
  const gateway = await rig.openGateway();
  const { promise, resolve } = Promise.withResolvers<void>();
  gateway.hold = promise;
  gateway.cleanup.start();
  await until(() => gateway.tally.reconciled === 1);
  await rig.clock.advance(3 * minute);
  assert.deepEqual([gateway.tally.reconciled, gateway.tally.skipped], [1, 3]);
  gateway.hold = undefined;
  resolve();
  await gateway.cleanup.runNow();
  assert.equal(gateway.tally.reports.length, 1);
});

test('a step that fails is named, and the others are done', async () => {
  await using rig = await openCleanupRig();
  const gateway = await rig.openGateway();
  gateway.store.system.leases.orphaned = async () => {
    throw new Error('on purpose');
  };
  await gateway.cleanup.runNow();
  assert.deepEqual(gateway.tally.reports[0]?.failedSteps, ['orphans']);
  assert.equal(gateway.tally.reconciled, 1);
});

test('a stop waits for what is under way and starts nothing more', async () => {
  await using rig = await openCleanupRig();
  const gateway = await rig.openGateway();
  gateway.cleanup.start();
  await gateway.cleanup.stop();
  await gateway.instance.stop();
  assert.equal(rig.clock.pendingTimers, 0);
  const { reconciled } = gateway.tally;
  await rig.clock.advance(5 * minute);
  assert.equal(gateway.tally.reconciled, reconciled);
});

/* The database answers in turns of the event loop. */
async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setImmediate(resolve));
}
