/*
 * A run whose id the caller names (S1): asked for again it is the same run with the same input, and beyond the limit of live
 * runs only a further one is refused.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSystemRandom } from '@clawdfather/kit';
import type { RunId } from '@clawdfather/supervisor';
import { openToolsRig } from '../support/tools-rig.ts';

test('S1: the same id at once and again is one run, and its input arrives once', async (t) => {
  const rig = await openToolsRig(t);
  const runId = createSystemRandom().id();
  const params = { command: 'cat; echo ended', stdin: 'input\n' } as const;
  const ask = () => rig.exec({ ...params, background: true }, { runId, labels: { trace: 'abc' } });
  const both = await Promise.all([ask(), ask()]);
  const again = await ask();
  assert.deepEqual(
    [...both, again].map((result) => 'runId' in result && result.runId),
    [runId, runId, runId],
  );
  assert.equal(rig.supervisor.get(runId as RunId)?.labels['trace'], 'abc');
  await rig.untilSaid(runId, 'input\n');
  await rig.process({ action: 'write', runId, eof: true });
  const ended = await rig.untilEnded(runId);
  assert.equal(ended.output, 'input\nended\n');
  assert.equal(rig.supervisor.list({ includeRemoved: true }).length, 1);
});

test('an account has so many live runs; another account has its own, and an ended run makes room', async (t) => {
  const rig = await openToolsRig(t, { liveRunsMax: 2 });
  const runId = createSystemRandom().id();
  const start = (change = {}) => rig.exec({ command: 'exec sleep 600', background: true }, change);
  const first = await start({ runId });
  const second = await start();
  await assert.rejects(start(), { code: 'run-limit-reached', detail: { liveRunsMax: 2 } });
  assert.equal((await start({ runId })).status, 'running', 'the same run again is no further one');
  const other = await start({ account: 'other' });
  assert.ok('runId' in other && 'runId' in first && 'runId' in second);
  await rig.process({ action: 'kill', runId: String(second.runId), graceMs: 0 });
  const third = await start();
  assert.ok('runId' in third);
  for (const id of [first.runId, third.runId]) {
    await rig.process({ action: 'kill', runId: String(id), graceMs: 0 });
  }
  const sees = () => true;
  await rig.process({ action: 'kill', runId: String(other.runId), graceMs: 0 }, { sees });
});
