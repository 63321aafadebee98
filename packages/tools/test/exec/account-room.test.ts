/*
 * How much an account may have at a time: what is beyond it is refused with its code, and there is room again when something ends.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSystemRandom } from '@clawdfather/kit';
import type { RunId } from '@clawdfather/supervisor';
import { journalMaxLabel } from '@clawdfather/supervisor/origins';
import { openToolsRig, type ToolsRig } from '../support/tools-rig.ts';

const person = { requester: 'device:phone' };
const token = { requester: 'token:agent' };
const sleeping = { command: 'exec sleep 600', background: true };

async function start(rig: ToolsRig, change: object): Promise<string> {
  const result = await rig.exec(sleeping, change);
  assert.ok('runId' in result);
  return String(result.runId);
}

const kill = (rig: ToolsRig, runId: string, change = {}) =>
  rig.process({ action: 'kill', runId, graceMs: 0 }, { sees: () => true, ...change });

test('an account has so many live runs; another account has its own, and an ended run makes room', async (t) => {
  const rig = await openToolsRig(t, { bounds: { liveRunsMax: 2 } });
  const runId = createSystemRandom().id();
  const begin = (change = {}) => rig.exec(sleeping, { ...person, ...change });
  const first = await begin({ runId });
  const second = await begin();
  await assert.rejects(begin(), {
    code: 'run-limit-reached',
    detail: { liveRunsMax: 2, reached: 2 },
  });
  assert.equal((await begin({ runId })).status, 'running', 'the same run again is no further one');
  const other = await begin({ account: 'other' });
  assert.ok('runId' in other && 'runId' in first && 'runId' in second);
  await rig.process({ action: 'kill', runId: String(second.runId), graceMs: 0 });
  const third = await begin();
  assert.ok('runId' in third);
  for (const id of [first.runId, third.runId]) {
    await rig.process({ action: 'kill', runId: String(id), graceMs: 0 });
  }
  const sees = () => true;
  await rig.process({ action: 'kill', runId: String(other.runId), graceMs: 0 }, { sees });
});

test('tokens get three quarters of the places, so that a person finds one', async (t) => {
  const rig = await openToolsRig(t, { bounds: { liveRunsMax: 4 } });
  const runs = [];
  for (let count = 0; count < 3; count += 1) runs.push(await start(rig, token));
  await assert.rejects(start(rig, token), {
    code: 'run-limit-reached',
    detail: { liveRunsMax: 4, reached: 3 },
  });
  runs.push(await start(rig, person));
  await assert.rejects(start(rig, person), { code: 'run-limit-reached' });
  await kill(rig, runs[0] ?? '');
  runs.push(await start(rig, token));
  for (const runId of runs.slice(1)) await kill(rig, runId);
});

test('starts at the same moment do not go beyond the places together', async (t) => {
  const rig = await openToolsRig(t, { bounds: { liveRunsMax: 2 } });
  const asked = Array.from({ length: 8 }, () => start(rig, person));
  const settled = await Promise.allSettled(asked);
  const runs = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  assert.equal(runs.length, 2);
  for (const runId of runs) await kill(rig, runId);
});

test('a command that has ended keeps its place while something that it left lives', async (t) => {
  const rig = await openToolsRig(t, { bounds: { liveRunsMax: 1 } });
  const left = { command: 'sleep 600 & echo started', yieldMs: 20_000 };
  const ended = await rig.exec(left, person);
  assert.ok(ended.status === 'completed');
  await assert.rejects(start(rig, person), { code: 'run-limit-reached' });
  await rig.process({ action: 'remove', runId: ended.runId }, person);
  await kill(rig, await start(rig, person));
});

test('living runs keep so much output together, each counted as large as it may get', async (t) => {
  const output = {
    journalBytesMax: 4_000_000,
    usualBytesMax: 1_000_000,
    rate: { bytesPerSecond: 10_000_000, burstBytes: 1_000_000 },
  };
  const rig = await openToolsRig(t, { bounds: { liveRunsMax: 8, output } });
  const large = await start(rig, { ...person, extras: { journalBytesMax: 2_500_000 } });
  const usual = await start(rig, token);
  const label = rig.supervisor.get(usual as RunId)?.labels[journalMaxLabel];
  assert.equal(label, '1000000', 'a run that names none has the usual one');
  await assert.rejects(start(rig, person), {
    code: 'journal-limit-reached',
    detail: { wanted: 1_000_000, left: 500_000, journalBytesMax: 4_000_000 },
  });
  const small = await start(rig, { ...person, extras: { journalBytesMax: 500_000 } });
  await kill(rig, large);
  const tokens = { ...token, extras: { journalBytesMax: 2_000_000 } };
  const second = await start(rig, tokens);
  await assert.rejects(start(rig, { ...token, extras: { journalBytesMax: 100_000 } }), {
    code: 'journal-limit-reached',
  });
  const persons = await start(rig, { ...person, extras: { journalBytesMax: 100_000 } });
  for (const runId of [usual, small, second, persons]) await kill(rig, runId);
});

test('a start waits for its turn where an account may have only one under way', async (t) => {
  const rig = await openToolsRig(t, { bounds: { liveRunsMax: 8, startsAtOnceMax: 1 } });
  const runs = await Promise.all([start(rig, person), start(rig, person), start(rig, token)]);
  assert.equal(new Set(runs).size, 3);
  for (const runId of runs) await kill(rig, runId);
});
