/*
 * Looks of `clf top`, with a supervisor and processes that the test moves.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RunFilter, RunRecord } from '@clawdfather/supervisor';
import { createFakeClock } from '@clawdfather/testkit';
import { createRunWatch } from '../../src/top/watch-runs.ts';
import { exitWith, recordWith, runId } from '../support/records.ts';

function rig(initial: readonly RunRecord[]) {
  const clock = createFakeClock(1_000_000);
  const state = {
    records: [...initial],
    /* Of each shim's only child. */
    cpuTicks: new Map<number, number>(),
    journals: new Map<string, number>(),
    reconciled: 0,
    onReconcile: () => {},
  };
  const shims = new Set(initial.map(({ shimPid }) => shimPid));
  const list = ({ states, limit = 1_000 }: RunFilter = {}) =>
    state.records.filter((one) => states?.includes(one.state) ?? true).slice(0, limit);
  const sample = (parentPid: number, ownTicks: number, startTicks: number) => ({
    parentPid,
    startTicks,
    ownTicks,
    childTicks: 0,
    rssPages: 5,
    isZombie: false,
  });
  const look = createRunWatch({
    clock,
    pageBytes: 1_024,
    supervisor: {
      list,
      stalls: async () => new Map(),
      get: (id) => state.records.find((one) => one.runId === id),
      reconcile: async () => {
        state.reconciled += 1;
        state.onReconcile();
        return [];
      },
    },
    journals: { of: (id) => state.journals.get(id), keepOnly: () => {} },
    scan: () => ({
      of: (pid) => {
        if (shims.has(pid)) return sample(1, 0, 99);
        const record = state.records.find((one) => one.pid === pid);
        return record && sample(record.shimPid ?? 0, state.cpuTicks.get(pid) ?? 0, 100);
      },
      childrenOf: (pid) =>
        shims.has(pid)
          ? state.records.flatMap((one) => (one.shimPid === pid ? [one.pid ?? 0] : []))
          : [],
    }),
  });
  return { look, state, clock, shims };
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
  state.cpuTicks.set(101, 100);
  state.journals.set('one', 5_000);
  await clock.advance(2_000);
  const [second] = (await look()).live;
  assert.equal(second?.cpuPercent, 50, 'a second of two');
  assert.equal(second?.outputBytesPerSecond, 2_000);
  assert.equal(state.reconciled, 0);
});

test('a shim that is gone makes us reconcile, and its run is told among the ended', async () => {
  const { look, state, clock, shims } = rig([one, two]);
  await look();
  shims.delete(100);
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
  const { look, state, clock, shims } = rig([one]);
  shims.delete(100);
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
  state.records.unshift({ ...two, state: 'exited', exit, treeEndedAtMs: clock.wallMs() });
  assert.deepEqual(
    (await look()).ended.map((record) => record.runId),
    ['two'],
  );
});
