/*
 * A run's row through its life: idempotent, fenced by the epoch (O3), one live
 * run per scope.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TreeGone } from '../../src/registry/run-changes.ts';
import type { TreeEnd } from '../../src/run-end.ts';
import { bootA, exitOf, namespaceA, newRunOf, processOf, runIdOf } from '../records.ts';
import { finishRun, openRig, startRun } from './registry-rig.ts';

const labels = { account: 'a1', kind: 'turn' };

function treeGoneAt(endedAtMs: number): TreeGone {
  const killed = { pid: 2, pgid: 0, cgroup: 0 };
  const treeEnd: TreeEnd = { endedAtMs, reason: 'manual-cancel', actor: 'cli:ann', killed };
  return { treeEnd, lastOutputAtMs: endedAtMs - 1 };
}

test('every field of a record comes back as it was written', async (t) => {
  const { registry, openOwner } = await openRig(t);
  const owner = await openOwner();
  const run = newRunOf('r1', { labels, scopeKey: 'scope', ownerLoss: 'kill', leftovers: 'keep' });
  await registry.write((transaction) => transaction.insertStarting(run, owner));

  const starting = registry.get('r1');
  assert.ok(starting);
  assert.equal(starting.state, 'starting');
  assert.equal(starting.pid, undefined);
  assert.deepEqual(starting.labels, labels);

  const key = { runId: run.runId, epoch: 1 };
  await registry.write((transaction) => transaction.markRunning(key, processOf(), 1_234));
  const running = registry.get('r1');
  assert.ok(running);
  const { createdAtMs, updatedAtMs, ...rest } = running;
  assert.ok(createdAtMs <= updatedAtMs);
  assert.deepEqual(rest, {
    ...run,
    ...processOf(),
    state: 'running',
    jobId: undefined,
    bootId: bootA,
    pidNamespace: namespaceA,
    startedAtMs: 1_234,
    lastOutputAtMs: undefined,
    ownerInstanceId: registry.instanceId,
    ownerGeneration: 1,
    leaseExpiresAtMs: 16_000,
    epoch: 1,
    exit: undefined,
    treeEndedAtMs: undefined,
    journalBytes: undefined,
    removedAtMs: undefined,
  });

  const exit = exitOf({ runId: run.runId, code: undefined, signal: 'SIGKILL', coreDumped: true });
  await registry.write((transaction) =>
    transaction.finalise(key, { exit, isTreeGone: true, journalBytes: 77, lastOutputAtMs: 1_500 }),
  );
  const exited = registry.get('r1');
  assert.deepEqual(exited?.exit, exit);
  assert.equal(exited?.state, 'exited');
  assert.equal(exited?.journalBytes, 77);
  assert.equal(exited?.lastOutputAtMs, 1_500);
  assert.equal(exited?.treeEndedAtMs, exit.endedAtMs);
  assert.equal(exited?.leaseExpiresAtMs, 0, 'exited removes the lease');
});

test('a run that was over before its start was recorded has both in one write', async (t) => {
  const { registry, openOwner } = await openRig(t);
  const owner = await openOwner();
  const run = newRunOf('r1', {});
  await registry.write((transaction) => transaction.insertStarting(run, owner));
  const exit = exitOf({ runId: run.runId });
  const settlement = { exit, isTreeGone: true, journalBytes: 1, lastOutputAtMs: undefined };
  const key = { runId: run.runId, epoch: 1 };
  await registry.write((to) => to.finalise(key, { ...settlement, process: processOf() }));
  const exited = registry.get('r1');
  assert.equal(exited?.pid, processOf().pid);
  assert.equal(exited?.shimPid, processOf().shimPid);
  assert.equal(exited?.startedAtMs, exit.startedAtMs);
  assert.deepEqual(exited?.exit, exit);
});

test('S1: inserting an id twice is one run, and the second says so', async (t) => {
  const { registry, openOwner } = await openRig(t);
  const owner = await openOwner();
  const run = newRunOf('r1');
  const insert = () => registry.write((transaction) => transaction.insertStarting(run, owner));
  assert.deepEqual(await Promise.all([insert(), insert()]), ['inserted', 'exists']);
  assert.equal(await insert(), 'exists');
  assert.equal(registry.list().length, 1);
});

test('finalising twice keeps the first exit; nothing brings a run back', async (t) => {
  const { registry, openOwner } = await openRig(t);
  const owner = await openOwner();
  const runId = await startRun(registry, owner, newRunOf('r1'));
  await finishRun(registry, runId, { reason: 'manual-cancel' });

  const key = { runId, epoch: 1 };
  const again = { exit: exitOf(), isTreeGone: true, journalBytes: 1, lastOutputAtMs: undefined };
  assert.equal(await registry.write((to) => to.finalise(key, again)), 'exited');
  assert.equal(await registry.write((to) => to.markExiting(key)), 'exited');
  assert.equal(await registry.write((to) => to.markRunning(key, processOf(), 9)), 'exited');
  assert.equal(registry.get(runId)?.exit?.reason, 'manual-cancel');
  assert.equal(registry.get(runId)?.state, 'exited');
});

test('a cancel that was committed before the process stays: exiting, with its process', async (t) => {
  const { registry, openOwner } = await openRig(t);
  const owner = await openOwner();
  const key = { runId: runIdOf('r1'), epoch: 1 };
  await registry.write((to) => to.insertStarting(newRunOf('r1'), owner));
  await registry.write((to) => to.markExiting(key));
  await registry.write((to) => to.markRunning(key, processOf(), 9));
  assert.equal(registry.get('r1')?.state, 'exiting');
  assert.equal(registry.get('r1')?.pid, processOf().pid);
});

test('O3: every write with an old epoch is refused, and changes nothing', async (t) => {
  const { registry, time, openOwner } = await openRig(t);
  const frozen = await openOwner();
  const runId = await startRun(registry, frozen, newRunOf('r1', { labels }));
  time.bootMs += 60_000;
  const thief = await openOwner({ pid: 200 });
  await registry.takeRuns(thief, [runId]);
  const before = registry.get(runId);

  const old = { runId, epoch: 1 };
  const settlement = {
    exit: exitOf(),
    isTreeGone: true,
    journalBytes: 1,
    lastOutputAtMs: undefined,
  };
  const attempts = [
    registry.write((to) => to.markRunning(old, processOf({ pid: 1 }), 9)),
    registry.write((to) => to.markExiting(old)),
    registry.write((to) => to.finalise(old, settlement)),
    registry.write((to) => to.markTreeGone(old, treeGoneAt(9))),
    registry.write((to) => to.change(old, { ownerLoss: 'kill' })),
    registry.write((to) => to.markRemoved(old)),
    registry.write((to) => to.deleteRun(old)),
    registry.write((to) => to.appendInput(old, Buffer.from('x'))),
    registry.write((to) => to.trimInput(old, 9)),
  ];
  for (const attempt of attempts) await assert.rejects(attempt, { code: 'epoch-stale' });
  assert.deepEqual(registry.get(runId), before);
});

test('writing to a run that nobody knows says so', async (t) => {
  const { registry } = await openRig(t);
  const key = { runId: runIdOf('nobody'), epoch: 1 };
  await assert.rejects(
    registry.write((to) => to.markExiting(key)),
    { code: 'run-not-found' },
  );
});

test('one live run per scope, and the scope is free again after the exit', async (t) => {
  const { registry, openOwner } = await openRig(t);
  const owner = await openOwner();
  const runId = await startRun(registry, owner, newRunOf('r1', { scopeKey: 'only' }));
  const second = newRunOf('r2', { scopeKey: 'only' });
  await assert.rejects(
    registry.write((to) => to.insertStarting(second, owner)),
    { code: 'scope-busy' },
  );
  assert.equal(registry.get('r2'), undefined);
  await finishRun(registry, runId);
  assert.equal(await registry.write((to) => to.insertStarting(second, owner)), 'inserted');
});

test('T4: a kept tree is learnt to be gone once, and only then may the run be forgotten', async (t) => {
  const { registry, openOwner } = await openRig(t);
  const owner = await openOwner();
  const runId = await startRun(registry, owner, newRunOf('r1', { labels }));
  const key = { runId, epoch: 1 };
  const settlement = {
    exit: exitOf({ runId }),
    isTreeGone: false,
    journalBytes: 1,
    lastOutputAtMs: undefined,
  };
  assert.equal(await registry.write((to) => to.deleteRun(key)), 'open');
  await registry.write((to) => to.finalise(key, settlement));
  assert.equal(await registry.write((to) => to.deleteRun(key)), 'open');
  assert.deepEqual(
    registry.open().map((record) => record.runId),
    [runId],
  );
  await registry.write((to) => to.markTreeGone(key, treeGoneAt(5_000)));
  await registry.write((to) => to.markTreeGone(key, treeGoneAt(6_000)));
  const gone = registry.get(runId);
  assert.deepEqual([gone?.treeEndedAtMs, gone?.lastOutputAtMs], [5_000, 4_999]);
  const { treeEnd } = treeGoneAt(5_000);
  assert.deepEqual(gone?.exit, { ...exitOf({ runId }), treeEnd }, 'the rest of the exit stands');
  assert.equal(await registry.write((to) => to.deleteRun(key)), 'done');
  assert.equal(registry.get(runId), undefined);
  assert.deepEqual(registry.list({ labels, includeRemoved: true }), []);
});

test('policy, deadlines and output heartbeats change alone', async (t) => {
  const { registry, openOwner } = await openRig(t);
  const owner = await openOwner();
  const runId = await startRun(registry, owner, newRunOf('r1'));
  const key = { runId, epoch: 1 };
  await registry.write((to) => to.change(key, { lastOutputAtMs: 42 }));
  assert.equal(registry.get(runId)?.lastOutputAtMs, 42);
  assert.equal(registry.get(runId)?.deadlines.overallMs, 60_000);
  const deadlines = { overallMs: undefined, noOutputMs: 5 };
  await registry.write((to) => to.change(key, { deadlines, leftovers: 'keep' }));
  assert.deepEqual(registry.get(runId)?.deadlines, deadlines);
  assert.equal(registry.get(runId)?.leftovers, 'keep');
  assert.equal(registry.get(runId)?.ownerLoss, 'adopt');
  assert.equal(registry.get(runId)?.lastOutputAtMs, 42);
});
