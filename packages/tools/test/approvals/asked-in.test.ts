/*
 * Where an agent is that asks: in the nearest run above it, in none where the whole way up shows none, and else it is not known.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApprovalStore, ProcessMark } from '@clawdfather/supervisor';
import { noRun, unknownRun } from '@clawdfather/supervisor/origins';
import { askedInOf } from '../../src/approvals/asked-in.ts';

const store = {
  runOfShim: ({ pid }) => (pid >= 100 ? { runId: `run-${pid}` } : undefined),
} as Pick<ApprovalStore, 'runOfShim'>;

function lineage(...pids: readonly (number | [number, string])[]): readonly ProcessMark[] {
  return pids.map((one) => {
    const [pid, comm] = typeof one === 'number' ? [one, 'sh'] : one;
    return { pid, comm, startTicks: pid, processGroupId: pid, kernelSessionId: pid };
  });
}

test('the nearest run counts', () => {
  assert.equal(askedInOf(store, lineage(7, 100, 200, 1)), 'run-100');
});

test('none is known only where the way leads to the first process', () => {
  assert.equal(askedInOf(store, lineage(7, 6, 1)), noRun);
  assert.equal(askedInOf(store, lineage(7, 6)), unknownRun);
  assert.equal(askedInOf(store, []), unknownRun);
});

test('a shim whose run is not here is no way past it', () => {
  assert.equal(askedInOf(store, lineage(7, [6, 'clf-shim'], 1)), unknownRun);
});
