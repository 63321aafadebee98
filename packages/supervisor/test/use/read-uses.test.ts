/*
 * What runs use: one scan for all of them, and nothing of those that are over.
 */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createFakeClock } from '@clawdfather/testkit';
import type { StateDir } from '../../src/registry/state-dir.ts';
import type { RunId, RunRecord } from '../../src/types.ts';
import { readUses } from '../../src/use/read-uses.ts';
import { readPageBytes } from '../../src/use/scan-processes.ts';

/* Shims have the numbers 10, 20 …; their commands the numbers after them. */
const samples: Readonly<Record<number, number>> = { 10: 1, 11: 10, 20: 1, 30: 1, 31: 30 };

const scanOf = () => ({
  of: (pid: number) => {
    const parentPid = samples[pid];
    if (parentPid === undefined) return undefined;
    return {
      parentPid,
      startTicks: pid,
      ownTicks: 150,
      childTicks: 0,
      rssPages: 2,
      isZombie: false,
      isStopped: false,
    };
  },
  childrenOf: (pid: number) =>
    Object.keys(samples)
      .map(Number)
      .filter((one) => samples[one] === pid),
});

/* As much of a record as is read. */
const recordOf = (name: string, shimPid: number, over: Partial<RunRecord> = {}): RunRecord =>
  ({
    runId: name as RunId,
    shimPid,
    shimStartTicks: shimPid,
    pid: shimPid + 1,
    startTicks: shimPid + 1,
    treeEndedAtMs: undefined,
    ...over,
  }) as RunRecord;

function rig(context: TestContext) {
  const runsDir = mkdtempSync(join(tmpdir(), 'clf-use-'));
  context.after(() => rmSync(runsDir, { recursive: true, force: true }));
  mkdirSync(join(runsDir, 'one'));
  writeFileSync(join(runsDir, 'one', 'j-0000000000000000'), 'x'.repeat(40));
  const state = { scans: 0 };
  const uses = (records: readonly RunRecord[]) =>
    readUses({ clock: createFakeClock(5_000), stateDir: { runsDir } as StateDir }, records, () => {
      state.scans += 1;
      return scanOf();
    });
  return { uses, state };
}

test('one scan tells what every living run uses', (context) => {
  const { uses, state } = rig(context);
  const found = uses([recordOf('one', 10), recordOf('two', 20)]);
  assert.equal(state.scans, 1);
  const memoryBytes = 2 * readPageBytes();
  assert.deepEqual(found.get('one' as RunId), {
    atMs: 5_000,
    cpuMs: 1_500,
    memoryBytes,
    processes: 1,
    outputBytes: 40,
    diskBytes: 40,
    hasCommand: true,
    isStopped: false,
  });
  assert.deepEqual(found.get('two' as RunId), {
    atMs: 5_000,
    cpuMs: 0,
    memoryBytes: 0,
    processes: 0,
    outputBytes: undefined,
    diskBytes: undefined,
    hasCommand: false,
    isStopped: false,
  });
});

test('a run whose shim is gone has no use, nor one that is over', (context) => {
  const { uses } = rig(context);
  const found = uses([recordOf('gone', 99), recordOf('over', 30, { treeEndedAtMs: 1 })]);
  assert.equal(found.size, 0);
});

test('nothing is scanned where nothing lives', (context) => {
  const { uses, state } = rig(context);
  uses([recordOf('over', 30, { treeEndedAtMs: 1 })]);
  uses([]);
  assert.equal(state.scans, 0);
});
