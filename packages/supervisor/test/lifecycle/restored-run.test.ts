/*
 * Where the lifecycle goes on after an adoption (O2).
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextRun } from '../../src/lifecycle/next-run.ts';
import { restoredRun } from '../../src/lifecycle/restored-run.ts';
import { exitOf, processOf, recordOf } from '../records.ts';

test('a running record goes on running, with the process it was recorded with', () => {
  assert.deepEqual(restoredRun(recordOf()), {
    kind: 'running',
    leftovers: 'fail',
    process: processOf({ startedAtMs: 1_000 }),
  });
});

test('a starting record whose process the crash kept from the registry starts on', () => {
  const record = recordOf({ state: 'starting', pid: undefined, shimPid: undefined });
  const state = restoredRun(record);
  assert.deepEqual(state, { kind: 'starting', leftovers: 'fail', process: undefined });
  const spawned = nextRun(state, { type: 'spawned', process: processOf() });
  assert.equal(nextRun(spawned.state, { type: 'committed' }).state.kind, 'running');
});

test('a record that was on its way out stays so; its cause is the journal’s to tell', () => {
  const state = restoredRun(recordOf({ state: 'exiting' }));
  assert.deepEqual(state.kind === 'exiting' && state.cause.reason, 'unknown');
});

test('an exited record is exited, and knows whether its tree is gone', () => {
  const exit = exitOf();
  const settled = recordOf({ state: 'exited', exit });
  assert.deepEqual(restoredRun(settled), { kind: 'exited', exit, isTreeGone: false });
  const gone = restoredRun({ ...settled, treeEndedAtMs: 5 });
  assert.equal(gone.kind === 'exited' && gone.isTreeGone, true);
});
