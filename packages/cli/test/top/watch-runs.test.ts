/*
 * Looks of `clf top`, with runs and processes that the test moves.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RunRecord } from '@clawdfather/supervisor';
import { createFakeClock } from '@clawdfather/testkit';
import type { Place, Run, RunQuery } from '../../src/place/place.ts';
import { createSettler, type RunHere } from '../../src/place/settle-here.ts';
import { createRunWatch } from '../../src/top/watch-runs.ts';
import { exitWith, recordWith, runId } from '../support/records.ts';

function rig(initial: readonly RunRecord[]) {
  const clock = createFakeClock(1_000_000);
  const state = {
    records: [...initial] as readonly Run[],
    cpuMs: new Map<string, number>(),
    journals: new Map<string, number>(),
    reconciled: 0,
    onReconcile: () => {},
  };
  /* Runs whose shims are gone. */
  const shimless = new Set<string>();
  const reconcile = async () => {
    state.reconciled += 1;
    state.onReconcile();
    return [];
  };
  const settle = createSettler({ supervisor: { reconcile }, clock });
  const useOf = ({ runId: id }: Run) => ({
    atMs: clock.wallMs(),
    cpuMs: state.cpuMs.get(id) ?? 0,
    memoryBytes: 5 * 1_024,
    processes: 1,
    outputBytes: state.journals.get(id),
    diskBytes: state.journals.get(id),
    hasCommand: true,
    isStopped: false,
  });
  const place: Pick<Place, 'list' | 'settle' | 'stalls'> = {
    list: async ({ states, idPrefix = '', limit, withUse }: RunQuery) => {
      assert.ok(withUse, 'every list is shown with what runs use');
      return state.records
        .filter((one) => states?.some((word) => word === one.state) ?? true)
        .filter((one) => one.runId.startsWith(idPrefix))
        .slice(0, limit)
        .map((one) => {
          const isSeen = one.treeEndedAtMs === undefined && !shimless.has(one.runId);
          return isSeen ? { ...one, use: useOf(one) } : one;
        });
    },
    stalls: async () => new Map(),
    settle: (runs) => settle(runs as readonly RunHere[]),
  };
  return { look: createRunWatch({ place, clock }), state, clock, shimless };
}

const one = recordWith({ runId: runId('one'), pid: 101, shimPid: 100, shimStartTicks: 99 });
const two = recordWith({ runId: runId('two'), pid: 201, shimPid: 200, shimStartTicks: 99 });

test('rates need two looks; memory does not', async () => {
  const { look, state, clock } = rig([one]);
  state.journals.set('one', 1_000);
  const [first] = (await look()).live;
  assert.equal(first?.cpuPercent, undefined);
  assert.equal(first?.outputBytesPerSecond, undefined);
  assert.equal(first?.memoryBytes, 5 * 1_024);
  state.cpuMs.set('one', 1_000);
  state.journals.set('one', 5_000);
  await clock.advance(2_000);
  const [second] = (await look()).live;
  assert.equal(second?.cpuPercent, 50, 'a second of two');
  assert.equal(second?.outputBytesPerSecond, 2_000);
  assert.equal(state.reconciled, 0);
});

test('a shim that is gone makes us reconcile, and its run is told among the ended', async () => {
  const { look, state, clock, shimless } = rig([one, two]);
  await look();
  shimless.add('one');
  state.onReconcile = () => {
    const exit = exitWith({ reason: 'signal', signal: 'SIGKILL', endedAtMs: clock.wallMs() });
    state.records = [{ ...one, state: 'exited', exit, treeEndedAtMs: clock.wallMs() }, two];
  };
  await clock.advance(2_000);
  const { live, ended } = await look();
  assert.equal(state.reconciled, 1);
  assert.deepEqual(
    live.map(({ record }) => record.runId),
    ['two'],
  );
  assert.deepEqual(
    ended.map((record) => record.exit?.signal),
    ['SIGKILL'],
  );
});

test('what cannot be settled is not asked about at every look', async () => {
  const { look, state, clock, shimless } = rig([one]);
  shimless.add('one');
  await look();
  await clock.advance(2_000);
  const { live } = await look();
  assert.equal(state.reconciled, 1);
  assert.equal(live[0]?.memoryBytes, undefined, 'nothing is known of it');
  await clock.advance(9_000);
  await look();
  assert.equal(state.reconciled, 2);
  await clock.advance(10_000);
  await look();
  assert.equal(state.reconciled, 2, 'and later and later');
  await clock.advance(60_000);
  await look();
  assert.equal(state.reconciled, 3);
});

test('a run that is over and has left something is still alive; what ended long ago is not told', async () => {
  const exit = exitWith({ endedAtMs: 1_000_000 });
  const left = { ...one, state: 'exited' as const, exit, treeEndedAtMs: undefined };
  const old = {
    ...two,
    state: 'exited' as const,
    exit: exitWith({ endedAtMs: 1 }),
    treeEndedAtMs: 1,
  };
  const { look } = rig([left, old]);
  const { live, ended } = await look();
  assert.deepEqual(
    live.map(({ record }) => record.runId),
    ['one'],
  );
  assert.deepEqual(ended, []);
});

test('a run that began and ended between two looks is among the ended', async () => {
  const { look, state, clock } = rig([one]);
  await look();
  await clock.advance(2_000);
  const exit = exitWith({ code: 3, endedAtMs: clock.wallMs() });
  const over = { ...two, state: 'exited' as const, exit, treeEndedAtMs: clock.wallMs() };
  state.records = [over, ...state.records];
  assert.deepEqual(
    (await look()).ended.map((record) => record.runId),
    ['two'],
  );
});

test('an old run that ends is found by its id, however many ended after it', async () => {
  const { look, state, clock } = rig([one]);
  await look();
  await clock.advance(2_000);
  const over = { state: 'exited' as const, treeEndedAtMs: clock.wallMs() };
  const newer = Array.from({ length: 40 }, (_, index) =>
    recordWith({ ...over, runId: runId(`newer${index}`), exit: exitWith({ endedAtMs: 1 }) }),
  );
  const exit = exitWith({ code: 3, endedAtMs: clock.wallMs() });
  state.records = [...newer, { ...one, ...over, exit }];
  const { live, ended } = await look();
  assert.deepEqual(live, []);
  assert.deepEqual(
    ended.map((run) => run.exit?.code),
    [3],
  );
});

test('what waits for a decision does not run', async () => {
  const { look, state } = rig([]);
  state.records = [{ ...one, state: 'held' }];
  assert.deepEqual((await look()).live, []);
});
