/*
 * Leases (O1), generations and taking over (O2), fencing (O3), foreign instances
 * (O6), monotonic time with a boot id (C1).
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { leaseMs, ownersKeptMax } from '../../src/limits.ts';
import { bootB, namespaceA, newRunOf, runIdOf } from '../records.ts';
import { finishRun, openRig, startRun } from './registry-rig.ts';

test('O1: each owner has a generation of its own, and its runs show its lease', async (t) => {
  const { registry, time, openOwner } = await openRig(t);
  const first = await openOwner({ pid: 1 });
  const second = await openOwner({ pid: 2 });
  assert.deepEqual([first.generation, second.generation], [1, 2]);
  const runId = await startRun(registry, first, newRunOf('r1'));
  assert.equal(registry.get(runId)?.leaseExpiresAtMs, time.bootMs + leaseMs);

  time.bootMs += 5_000;
  assert.equal(await registry.heartbeat(first), time.bootMs + leaseMs);
  assert.equal(registry.get(runId)?.leaseExpiresAtMs, time.bootMs + leaseMs);
  assert.equal(registry.get(runId)?.ownerGeneration, 1);
});

test('O2: a lease that is held cannot be taken, to the last millisecond', async (t) => {
  const { registry, time, openOwner } = await openRig(t);
  const owner = await openOwner();
  const runId = await startRun(registry, owner, newRunOf('r1'));
  const thief = await openOwner({ pid: 2 });
  time.bootMs += leaseMs - 1;
  assert.deepEqual(await registry.takeRuns(thief, [runId]), [{ outcome: 'healthy', runId }]);
  assert.equal(registry.get(runId)?.epoch, 1);
  time.bootMs += 1;
  assert.deepEqual(await registry.takeRuns(thief, [runId]), [
    { outcome: 'taken', runId, from: 'expired', epoch: 2, previousGeneration: 1 },
  ]);
  assert.equal(registry.get(runId)?.ownerGeneration, 2);
});

test('O3: an owner that was frozen finds its lease lost, even if one run is still its own', async (t) => {
  const { registry, time, openOwner } = await openRig(t);
  const frozen = await openOwner();
  const taken = await startRun(registry, frozen, newRunOf('r1'));
  const left = await startRun(registry, frozen, newRunOf('r2'));
  const thief = await openOwner({ pid: 2 });
  time.bootMs += leaseMs;
  await registry.heartbeat(thief);
  await registry.takeRuns(thief, [taken]);
  await assert.rejects(registry.heartbeat(frozen), { code: 'lease-lost' });

  const reborn = await openOwner({ pid: 1 });
  const outcomes = await registry.takeRuns(reborn, [left, taken]);
  assert.deepEqual(
    outcomes.map(({ outcome }) => outcome),
    ['taken', 'healthy'],
  );
});

test('an owner that is late but whose runs nobody took goes on', async (t) => {
  const { registry, time, openOwner } = await openRig(t);
  const owner = await openOwner();
  time.bootMs += 10 * leaseMs;
  assert.equal(await registry.heartbeat(owner), time.bootMs + leaseMs);
});

test('O2: a start takes the runs of a proven dead predecessor at once, in one transaction', async (t) => {
  const { registry, openOwner } = await openRig(t);
  const dead = await openOwner();
  const alive = await openOwner({ pid: 2 });
  const mine = await startRun(registry, dead, newRunOf('r1'));
  const done = await startRun(registry, dead, newRunOf('r2'));
  await finishRun(registry, done);
  const others = await startRun(registry, alive, newRunOf('r3'));

  const process = { pid: 3, startTicks: 1, bootId: dead.bootId, pidNamespace: namespaceA };
  const { owner, taken } = await registry.openOwner(process, [dead.generation]);
  assert.equal(owner.generation, 3);
  assert.deepEqual(taken, [
    { outcome: 'taken', runId: mine, from: 'dead', epoch: 2, previousGeneration: 1 },
  ]);
  assert.equal(registry.get(others)?.ownerGeneration, 2);
  assert.equal(registry.get(done)?.ownerGeneration, 1, 'the past stays as it was');
  await assert.rejects(registry.heartbeat(dead), { code: 'lease-lost' });
  assert.deepEqual((await registry.openOwner(process, [dead.generation])).taken, []);
});

test('an owner that lets go frees its runs at once and ends none', async (t) => {
  const { registry, openOwner } = await openRig(t);
  const cli = await openOwner();
  const runId = await startRun(registry, cli, newRunOf('r1'));
  await registry.releaseOwner(cli);
  assert.equal(registry.get(runId)?.state, 'running');
  const gateway = await openOwner({ pid: 2 });
  const [outcome] = await registry.takeRuns(gateway, [runId]);
  assert.equal(outcome?.outcome === 'taken' && outcome.from, 'released');
  await assert.rejects(registry.heartbeat(cli), { code: 'lease-lost' });
});

test('C1: after a reboot every lease is free, whatever the new monotonic clock says', async (t) => {
  const { registry, time, openOwner, openAnother } = await openRig(t);
  time.bootMs = 1_000_000;
  const runId = await startRun(registry, await openOwner(), newRunOf('r1'));
  time.bootId = bootB;
  time.bootMs = 10;
  const rebooted = await openAnother();
  const owner = await openOwner({ registry: rebooted });
  const [outcome] = await rebooted.takeRuns(owner, [runId]);
  assert.equal(outcome?.outcome, 'taken');
});

test('C1: the wall clock does not matter to a lease', async (t) => {
  const clock = {
    wallMs: () => wallMs,
    monotonicMs: () => 0,
    sleep: () => Promise.resolve(),
    timer: () => ({ cancel: () => {}, unref: () => {} }),
  };
  let wallMs = 1_000;
  const { registry, openOwner } = await openRig(t, clock);
  const runId = await startRun(registry, await openOwner(), newRunOf('r1'));
  wallMs += 365 * 24 * 3_600_000;
  const [outcome] = await registry.takeRuns(await openOwner({ pid: 2 }), [runId]);
  assert.equal(outcome?.outcome, 'healthy');
});

test('taking says what became of each run', async (t) => {
  const { registry, openOwner } = await openRig(t);
  const owner = await openOwner();
  const ours = await startRun(registry, owner, newRunOf('r1'));
  const done = await startRun(registry, owner, newRunOf('r2'));
  await finishRun(registry, done);
  const outcomes = await registry.takeRuns(owner, [ours, done, runIdOf('nobody')], [1]);
  assert.deepEqual(
    outcomes.map(({ outcome }) => outcome),
    ['ours', 'ended', 'unknown'],
  );
});

test('owners that are gone and own nothing are forgotten in time', async (t) => {
  const { registry, openOwner } = await openRig(t);
  const keeper = await openOwner();
  await startRun(registry, keeper, newRunOf('r1'));
  await registry.releaseOwner(keeper);
  for (let count = 0; count < ownersKeptMax + 20; count += 1) {
    await registry.releaseOwner(await openOwner());
  }
  const generations = registry.owners().map(({ generation }) => generation);
  assert.ok(generations.length <= ownersKeptMax + 2, `${generations.length} owners are kept`);
  assert.ok(generations.includes(keeper.generation), 'one with an open run is not forgotten');
  assert.equal(registry.get('r1')?.ownerGeneration, 1);
});
