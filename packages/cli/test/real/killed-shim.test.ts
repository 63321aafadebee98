/*
 * Somebody kills the shim of a run. That is the cause, and every command that is asked says so.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { type CliRig, createCliRig } from '../support/cli-process.ts';

const died =
  /its shim \(process \d+\) was killed or crashed, so how the command ended is not known/;

/* The shim is the parent of the command. */
async function shimPidOf(rig: CliRig, run: string): Promise<number> {
  const { pid } = JSON.parse((await rig.clf('show', '--json', run)).stdout) as { pid: number };
  const afterName = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1) ?? '';
  return Number(afterName.split(' ')[1]);
}

async function startAndKillShim(rig: CliRig, name: string): Promise<void> {
  await rig.clf('run', '-d', '--name', name, '--', 'sleep', '60');
  process.kill(await shimPidOf(rig, name), 'SIGKILL');
}

test('T3: a killed shim is the cause that show, ps, wait and logs tell', async (context) => {
  const rig = createCliRig(context);
  await startAndKillShim(rig, 'shown');
  assert.match((await rig.clf('show', 'shown')).stdout, /^state +shim died$/m);
  assert.match((await rig.clf('show', 'shown')).stdout, died);
  await startAndKillShim(rig, 'waited');
  const waited = await rig.clf('wait', 'waited');
  assert.match(waited.stderr, died);
  assert.equal(waited.code, 125);
  await startAndKillShim(rig, 'read');
  const read = await rig.clf('logs', 'read');
  assert.match(read.stderr, died);
  assert.equal(read.code, 1);
  const listed = await rig.clf('ps', '-a', '-f', 'state=shim died');
  assert.equal(listed.stdout.match(/ shim died /g)?.length, 3);
  const byReason = await rig.clf('ps', '-q', '-f', 'reason=shim died');
  assert.equal(byReason.stdout.split('\n').filter(Boolean).length, 3);
});

test('T3: a clf that stays with the run, or follows it, tells it at once', async (context) => {
  const rig = createCliRig(context);
  const staying = rig.start(
    {},
    'run',
    '--name',
    'stay',
    '--',
    'sh',
    '-c',
    'echo up; exec sleep 60',
  );
  await staying.saw('up');
  const following = rig.start({}, 'logs', '-f', 'stay');
  await following.saw('up');
  process.kill(await shimPidOf(rig, 'stay'), 'SIGKILL');
  const [stayed, followed] = await Promise.all([staying.result, following.result]);
  assert.match(stayed.stderr, died);
  assert.equal(stayed.code, 125);
  assert.match(followed.stderr, died);
  assert.match((await rig.clf('ps', '-a')).stdout, / shim died /);
});
