/*
 * Filters of `list`, and that each of them uses an index: their cost must not
 * grow with the records of the past.
 */
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { createRunChanges } from '../../src/registry/run-changes.ts';
import { createRunReads } from '../../src/registry/run-reads.ts';
import { createRunWrites } from '../../src/registry/run-writes.ts';
import { openRunsOf } from '../../src/registry/take-runs.ts';
import type { RunFilter } from '../../src/types.ts';
import { exitOf, newRunOf, processOf, runIdOf } from '../records.ts';
import { finishRun, openRig, startRun } from './registry-rig.ts';

test('filters select by state, names, labels, scope and prefix, newest first', async (t) => {
  const { registry, openOwner } = await openRig(t);
  const owner = await openOwner();
  const ids = (filter?: RunFilter) => registry.list(filter).map(({ runId }) => String(runId));
  await startRun(registry, owner, newRunOf('aa1', { sessionId: 's1', labels: { who: 'x' } }));
  await startRun(registry, owner, newRunOf('aa2', { sessionId: 's2', scopeKey: 'k' }));
  await startRun(registry, owner, newRunOf('ab3', { labels: { who: 'x', kind: 'y' } }));
  await startRun(registry, owner, newRunOf('b~4', { backendId: 'other' }));
  const done = await startRun(registry, owner, newRunOf('b5', { labels: { who: 'z' } }));
  await finishRun(registry, done);

  assert.deepEqual(ids(), ['b5', 'b~4', 'ab3', 'aa2', 'aa1']);
  assert.deepEqual(ids({ limit: 2 }), ['b5', 'b~4']);
  assert.deepEqual(ids({ states: ['exited'] }), ['b5']);
  assert.deepEqual(ids({ states: ['running'] }), ['b~4', 'ab3', 'aa2', 'aa1']);
  assert.deepEqual(ids({ states: ['starting', 'exiting'] }), []);
  assert.deepEqual(ids({ sessionId: 's1' }), ['aa1']);
  assert.deepEqual(ids({ backendId: 'other' }), ['b~4']);
  assert.deepEqual(ids({ exceptBackendId: 'other' }), ['b5', 'ab3', 'aa2', 'aa1']);
  assert.deepEqual(ids({ scopeKey: 'k' }), ['aa2']);
  assert.deepEqual(ids({ labels: { who: 'x' } }), ['ab3', 'aa1']);
  assert.deepEqual(ids({ labels: { who: 'x', kind: 'y' } }), ['ab3']);
  const kinds = [{ labels: { who: 'x' } }, { backendId: 'other' }];
  assert.deepEqual(ids({ anyOf: kinds }), ['b~4', 'ab3', 'aa1']);
  assert.deepEqual(ids({ anyOf: [] }), []);
  assert.deepEqual(ids({ offset: 1, limit: 2 }), ids({}).slice(1, 3));
  assert.equal(registry.count({ labels: { who: 'x' }, limit: 1 }), 2);
  assert.equal(registry.count(), ids({}).length);
  assert.deepEqual(ids({ idPrefix: 'a' }), ['ab3', 'aa2', 'aa1']);
  assert.deepEqual(ids({ idPrefix: 'aa' }), ['aa2', 'aa1']);
  assert.deepEqual(ids({ idPrefix: '%' }), []);
  assert.deepEqual(ids({ ownerInstanceId: registry.instanceId }).length, 5);
  assert.deepEqual(ids({ ownerInstanceId: 'another' }), []);

  await registry.write((to) => to.markRemoved({ runId: done, epoch: 1 }));
  assert.deepEqual(ids({ states: ['exited'] }), []);
  assert.deepEqual(ids({ states: ['exited'], includeRemoved: true }), ['b5']);
  assert.deepEqual(
    registry.finished().map(({ runId, isRemoved, isTreeGone }) => [runId, isRemoved, isTreeGone]),
    [['b5', true, true]],
  );
});

test('what is asked for all the time is read through an index', async (t) => {
  const { stateDir } = await openRig(t);
  const db = new DatabaseSync(stateDir.registryFile);
  t.after(() => db.close());
  const plans: string[] = [];
  /** Plans what it is asked to do, and does nothing. */
  const explain = (sql: string): undefined => {
    const steps = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all();
    const plan = steps.map((row) => String(row['detail'])).join('; ');
    plans.push(`${plan} <- ${sql}`);
  };
  const statements = {
    run: (sql: string) => {
      explain(sql);
      return 1;
    },
    one: (sql: string) => {
      explain(sql);
      return sql.startsWith('UPDATE') ? { input_offset: 1 } : undefined;
    },
    all: (sql: string) => {
      explain(sql);
      return [];
    },
  };

  const reads = createRunReads(statements);
  const live: RunFilter = { states: ['starting', 'running', 'exiting'] };
  reads.get('r');
  reads.list(live);
  reads.list({ states: ['running'], labels: { who: 'x' } });
  reads.list({ ...live, scopeKey: 'k' });
  reads.list({ sessionId: 's' });
  reads.list({ idPrefix: 'a' });
  reads.list({ labels: { who: 'x' } });
  reads.open();
  reads.nextInput('r', 0);
  openRunsOf(statements, 1, [1]);
  const key = { runId: runIdOf('r'), epoch: 1 };
  const settlement = { exit: exitOf(), isTreeGone: true, journalBytes: 1, lastOutputAtMs: 1 };
  const writes = createRunWrites(statements, () => 1);
  writes.markRunning(key, processOf(), 1);
  writes.markExiting(key);
  writes.finalise(key, settlement);
  createRunChanges(statements, () => 1).change(key, {});

  const scans = plans.filter((plan) =>
    /SCAN (r|l|runs|run_labels|input_outbox)(;| <-|$)/.test(plan),
  );
  assert.deepEqual(scans, []);
  assert.ok(plans.length >= 14);
  // The newest of all runs: the table itself, from its end, and no sorting.
  plans.length = 0;
  reads.list();
  assert.match(plans.join(), /^SCAN r; /);
  assert.doesNotMatch(plans.join(), /TEMP B-TREE/);
  // The newest with a label: its own order, and no list of all that ever had it.
  plans.length = 0;
  reads.list({ labels: { who: 'x', what: 'y' } });
  assert.match(plans.join(), /^SEARCH l USING PRIMARY KEY \(name=\? AND value=\?\)/);
  assert.doesNotMatch(plans.join(), /TEMP B-TREE|LIST SUBQUERY/);
  // Those of an account, or of a backend: only their own rows, in the order of all runs.
  plans.length = 0;
  const anyOf = [
    { backendId: 'exec', labels: { account: 'a' } },
    { backendId: 'exec', labels: { account: 'b' } },
    { backendId: 'cli' },
  ];
  reads.list({ anyOf });
  reads.count({ anyOf });
  for (const plan of plans) {
    assert.match(plan, /SEARCH r USING INTEGER PRIMARY KEY \(rowid=\?\)/);
    assert.match(plan, /SEARCH runs USING COVERING INDEX runs_backend/);
    assert.doesNotMatch(plan, /SCAN (r|runs|run_labels)\b|TEMP B-TREE/);
  }
  plans.length = 0;
  reads.list({ ...live, scopeKey: 'k' });
  const scope = plans.filter((plan) => plan.includes('r.scope_key'));
  assert.match(scope.join(), /INDEX runs_scope/);
});
