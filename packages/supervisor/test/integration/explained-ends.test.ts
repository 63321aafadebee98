/*
 * Those who carry a run may know more of its end than the run does: they are asked before it is settled, and whoever waits reads it.
 * What they learn later is added to the record.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deferred } from '@clawdfather/kit';
import type { ExitExplanation } from '@clawdfather/supervisor';
import { assertRecorded, createRig } from './rig.ts';

const explanation = { hostCause: 'keepalive', detail: 'The host was silent.' };

test('an end waits for its explanation, and is recorded with it', async (t) => {
  const rig = createRig(t);
  const asked = deferred<string>();
  const answer = deferred<ExitExplanation>();
  const supervisor = await rig.supervisor({
    explainExit: ({ runId, code }) => {
      if (code !== 255) return undefined;
      asked.resolve(runId);
      return answer.promise;
    },
  });
  const run = await supervisor.spawn(rig.child(['/bin/sh', '-c', 'exit 255']));
  assert.equal(await asked.promise, run.runId);
  assert.equal(supervisor.get(run.runId)?.exit, undefined, 'not settled yet');
  answer.resolve(explanation);
  const exit = await run.wait();
  assert.deepEqual([exit.code, exit.hostCause], [255, 'keepalive']);
  assert.equal(exit.detail, explanation.detail);
  assertRecorded(supervisor, exit);
  const other = await supervisor.spawn(rig.child(['/bin/sh', '-c', 'exit 3']));
  assert.equal((await other.wait()).hostCause, undefined);
});

test('a start does not wait for the explanation of an end that came at once', async (t) => {
  const rig = createRig(t);
  const answer = deferred<ExitExplanation>();
  const supervisor = await rig.supervisor({ explainExit: () => answer.promise });
  // Enough of them that some have ended before their start is recorded.
  const starts = Array.from({ length: 20 }, () => supervisor.spawn(rig.child(['/bin/true'])));
  const runs = await Promise.all(starts);
  answer.resolve(explanation);
  for (const run of runs) assert.equal((await run.wait()).hostCause, 'keepalive');
});

test('an explanation that fails is none', async (t) => {
  const rig = createRig(t);
  const supervisor = await rig.supervisor({
    explainExit: () => Promise.reject(new Error('it is not known')),
  });
  const run = await supervisor.spawn(rig.child(['/bin/true']));
  const exit = await run.wait();
  assert.deepEqual([exit.code, exit.hostCause], [0, undefined]);
  assertRecorded(supervisor, exit);
});

test('what is learned later is added once, and to an end alone', async (t) => {
  const rig = createRig(t);
  const supervisor = await rig.supervisor();
  const living = await supervisor.spawn(rig.child(['/bin/cat']));
  await supervisor.explain(living.runId, explanation);
  await living.end();
  assert.equal((await living.wait()).hostCause, undefined);
  await supervisor.explain(living.runId, explanation);
  await supervisor.explain(living.runId, { hostCause: 'closed', detail: 'Something else.' });
  const { exit } = supervisor.get(living.runId) ?? {};
  assert.deepEqual([exit?.code, exit?.hostCause], [0, 'keepalive']);
  assert.equal(exit?.detail, explanation.detail);
});
