/*
 * Termination reason mapping: what the shim recorded
 * is what the run's exit says, in our words (T3, T4, T5).
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EndRecord, ExitRecord } from '@clawdfather/shim';
import {
  exitWithoutRecord,
  runExitOf,
  settlesWithRoot,
} from '../../../src/run/records/run-exit.ts';
import { terminationReasons } from '@clawdfather/shim';
import { runIdOf } from '../../records.ts';

const runId = runIdOf('r1');

function exitRecord(parts: Partial<ExitRecord> = {}): ExitRecord {
  return {
    code: 0,
    signal: undefined,
    hasCore: false,
    reason: 'exit',
    actor: undefined,
    detail: undefined,
    errno: undefined,
    stage: undefined,
    startedUs: 1_000_900,
    endedUs: 3_000_900,
    durationMs: 2_000,
    userUs: 5,
    systemUs: 6,
    maxRssKb: 7,
    readBytes: 8,
    writeBytes: 9,
    lastOutputUs: undefined,
    leftovers: [],
    undrainedBytes: 0,
    ...parts,
  };
}

function endRecord(parts: Partial<EndRecord> = {}): EndRecord {
  return {
    reason: 'exit',
    actor: undefined,
    detail: undefined,
    killed: { pid: 0, pgid: 0, cgroup: 0 },
    escapees: 0,
    survivors: [],
    undrainedBytes: 0,
    endedUs: 4_000_000,
    usage: undefined,
    lastOutputUs: undefined,
    isFinal: true,
    ...parts,
  };
}

test('T3: every reason of the shim is a reason of ours, unchanged', () => {
  for (const reason of terminationReasons) {
    const records = { exit: exitRecord({ reason }), end: undefined, journalLength: 0 };
    assert.equal(runExitOf(runId, records).reason, reason);
  }
});

test('a plain exit keeps its code, its times and what it used', () => {
  const exit = runExitOf(runId, {
    exit: exitRecord({ code: 3 }),
    end: endRecord(),
    journalLength: 500,
  });
  assert.equal(exit.code, 3);
  assert.equal(exit.signal, undefined);
  assert.equal(exit.startedAtMs, 1_000);
  assert.equal(exit.durationMs, 2_000);
  assert.equal(exit.usage?.maxRssBytes, 7 * 1_024);
});

test('death by a signal is never an exit code', () => {
  const died = exitRecord({ code: undefined, signal: 11, hasCore: true, reason: 'signal' });
  const exit = runExitOf(runId, {
    exit: died,
    end: endRecord({ reason: 'signal' }),
    journalLength: 0,
  });
  assert.equal(exit.code, undefined);
  assert.equal(exit.signal, 'SIGSEGV');
  assert.equal(exit.coreDumped, true);
  assert.equal(exit.reason, 'signal');
});

test('T4: the root’s code stands although the tree’s end gives the reason', () => {
  const exit = runExitOf(runId, {
    exit: exitRecord({ leftovers: [{ pid: 7, startTicks: 8, comm: 'agent' }] }),
    end: endRecord({
      reason: 'ownership-escape',
      killed: { pid: 1, pgid: 0, cgroup: 0 },
      escapees: 1,
    }),
    journalLength: 0,
  });
  assert.equal(exit.code, 0);
  assert.equal(exit.reason, 'ownership-escape');
  assert.equal(exit.leftovers.length, 1);
  assert.deepEqual(exit.killed, { pid: 1, pgid: 0, cgroup: 0 });
});

test('who asked is kept', () => {
  const cancelled = exitRecord({
    reason: 'manual-cancel',
    actor: 'cli:7',
    code: undefined,
    signal: 15,
  });
  const exit = runExitOf(runId, { exit: cancelled, end: undefined, journalLength: 0 });
  assert.equal(exit.actor, 'cli:7');
  assert.equal(exit.signal, 'SIGTERM');
});

test('what could not be started has no start, no duration and no usage', () => {
  const failed = exitRecord({ reason: 'spawn-error', code: undefined, startedUs: 0 });
  const exit = runExitOf(runId, {
    exit: failed,
    end: endRecord({ reason: 'spawn-error' }),
    journalLength: 0,
  });
  assert.equal(exit.startedAtMs, undefined);
  assert.equal(exit.durationMs, undefined);
  assert.equal(exit.usage, undefined);
});

test('without a record nothing is invented', () => {
  const exit = exitWithoutRecord(runId, 'host-rebooted', { endedAtMs: 5, detail: 'another boot' });
  assert.equal(exit.code, undefined);
  assert.equal(exit.signal, undefined);
  assert.equal(exit.reason, 'host-rebooted');
  assert.equal(exit.usage, undefined);
});

test('what was used is counted to the end of the tree, if the end says it', () => {
  const usage = { userUs: 50, systemUs: 60, maxRssKb: 70, readBytes: 80, writeBytes: 90 };
  const used = (end: EndRecord | undefined) =>
    runExitOf(runId, { exit: exitRecord(), end, journalLength: 0 }).usage?.userUs;
  assert.deepEqual([used(undefined), used(endRecord()), used(endRecord({ usage }))], [5, 5, 50]);
});

test('T4: a run settles with its root only if it keeps what is left and ends by itself', () => {
  assert.ok(settlesWithRoot('keep', 'exit') && settlesWithRoot('keep', 'signal'));
  assert.ok(!settlesWithRoot('keep', 'manual-cancel') && !settlesWithRoot('end', 'exit'));
});
