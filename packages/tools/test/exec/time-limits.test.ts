/*
 * How long a run may take where nobody says so, and that whoever asks is told.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { execLimits, execResultSchema, processResultSchema } from '@clawdfather/protocol';
import type { RunId } from '@clawdfather/supervisor';
import { openToolsRig, type ToolsRig } from '../support/tools-rig.ts';

const usualMs = execLimits.timeoutSeconds.usualLocal * 1_000;

async function shown(rig: ToolsRig, runId: string) {
  const list = await rig.process({ action: 'list' });
  const results = [
    list,
    await rig.process({ action: 'poll', runId }),
    await rig.process({ action: 'log', runId }),
    await rig.process({ action: 'log', runId, encoding: 'base64' }),
  ];
  for (const result of results) assert.deepEqual(processResultSchema.parse(result), result);
  return [list.runs[0], ...results.slice(1)].map((result) => {
    assert.ok(result !== undefined && 'timeoutMs' in result, JSON.stringify(result));
    return [result.timeoutMs, result.timeoutAt];
  });
}

test('what is started in the background has no time limit, and every answer says so', async (t) => {
  const rig = await openToolsRig(t);
  const started = await rig.start({ command: 'sleep 1000', background: true });
  assert.deepEqual([started.timeoutMs, started.timeoutAt], [null, undefined]);
  assert.deepEqual(execResultSchema.parse(started), started);
  const { runId } = started;
  assert.equal(rig.supervisor.get(runId as RunId)?.deadlines.overallMs, undefined);
  for (const said of await shown(rig, runId)) assert.deepEqual(said, [null, undefined]);
  await rig.process({ action: 'kill', runId });
  const ended = await rig.process({ action: 'list' });
  assert.ok(!('timeoutMs' in (ended.runs[0] ?? {})), 'it is over');
});

test('what goes to the background by itself keeps the limit of the foreground, and the answer says so', async (t) => {
  const rig = await openToolsRig(t);
  const left = await rig.exec({ command: 'echo here; sleep 1000', yieldMs: 10 });
  assert.ok(left.status === 'running');
  assert.equal(left.timeoutMs, usualMs);
  assert.match(left.notes.join(), /keeps the usual time limit/);
  const { runId } = left;
  await rig.untilSaid(runId, 'here');
  const startedAtMs = rig.supervisor.get(runId as RunId)?.startedAtMs ?? 0;
  const timeoutAt = new Date(startedAtMs + usualMs).toISOString();
  for (const said of await shown(rig, runId)) assert.deepEqual(said, [usualMs, timeoutAt]);
  await rig.process({ action: 'remove', runId });
});

test('a limit that the caller names holds in the background as well', async (t) => {
  const rig = await openToolsRig(t);
  const { runId, timeoutMs, noOutputTimeoutMs } = await rig.start({
    command: 'sleep 1000',
    background: true,
    timeoutSeconds: 3_600,
    noOutputTimeoutSeconds: 1_800,
  });
  assert.deepEqual([timeoutMs, noOutputTimeoutMs], [3_600_000, 1_800_000]);
  await rig.process({ action: 'remove', runId });
  const command = 'echo here; sleep 1000';
  const chosen = await rig.exec({ command, yieldMs: 10, timeoutSeconds: 0 });
  assert.ok(chosen.status === 'running' && chosen.timeoutMs === null);
  assert.doesNotMatch(chosen.notes.join(), /usual time limit/);
  await rig.untilSaid(chosen.runId, 'here');
  await rig.process({ action: 'remove', runId: chosen.runId });
  const short = await rig.exec({ command: 'sleep 1000', background: true, timeoutSeconds: 0.1 });
  assert.ok(short.status === 'running');
  const ended = await rig.untilEnded(short.runId);
  assert.ok(ended.status === 'failed' && ended.kind === 'overall-timeout');
});

test('a held command says the limit that it will have', async (t) => {
  const rig = await openToolsRig(t, { hasApprovals: true });
  const limits = async (params: { readonly background?: boolean }) => {
    const held = await rig.exec({ command: 'touch x', ...params });
    assert.ok(held.status === 'approval-pending');
    return [held.timeoutMs, held.timeoutAt];
  };
  assert.deepEqual(await limits({ background: true }), [null, undefined]);
  assert.deepEqual(await limits({}), [usualMs, undefined]);
});
