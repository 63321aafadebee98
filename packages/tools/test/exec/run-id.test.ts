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
