/*
 * Time: deadlines are the shim's and count monotonic time, also while no owner lives; the wall clock may say what it
 * likes (C1, T5, T9). The test build of the shim reads its clock's offset from a file.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { shimBinaryPath } from '@clawdfather/shim';
import { createRig, type Rig, runIdOf, untilOutput } from './rig.ts';
import { isAlive, markVariable } from './process-table.ts';

const build = fileURLToPath(new URL('../../../shim/build/build.ts', import.meta.url));
/* Test files run side by side; the lock makes one of them build and the others find it built. */
const lock = join(tmpdir(), `clf-native-build-${process.getuid?.() ?? 0}.lock`);
const built = spawnSync('flock', [lock, process.execPath, build, '--variant=test']);
const skip = built.status === 0 ? false : 'the test build of the shim could not be made';

interface ClockRig extends Rig {
  /* For supervisors and owners of this rig. */
  readonly clocked: { readonly binaryPath: string; readonly shimEnv: Record<string, string> };
  jump(by: { readonly monotonicMs?: number; readonly wallMs?: number }): void;
}

function createClockRig(t: TestContext): ClockRig {
  const rig = createRig(t);
  const file = join(rig.scratchDir, 'clock');
  const jump: ClockRig['jump'] = ({ monotonicMs = 0, wallMs = 0 }) =>
    writeFileSync(file, `${monotonicMs} ${wallMs}`);
  jump({});
  const shimEnv = { [markVariable]: rig.mark, CLAWDFATHER_TEST_CLOCK: file };
  return { ...rig, jump, clocked: { binaryPath: shimBinaryPath('test'), shimEnv } };
}

const yearMs = 365 * 24 * 60 * 60 * 1000;

test('C1: a wall clock that jumps ends nothing; a deadline that passes does', {
  skip,
}, async (t) => {
  const rig = createClockRig(t);
  const supervisor = await rig.supervisor(rig.clocked);
  const script = 'echo up; while read line; do echo "got $line"; done';
  const run = await supervisor.spawn(rig.sh(script, { overallTimeoutMs: 60_000 }));
  await untilOutput(run, 'up');
  for (const wallMs of [yearMs, -yearMs]) {
    rig.jump({ wallMs });
    await run.write(`${wallMs}\n`);
    await untilOutput(run, `got ${wallMs}`);
  }
  rig.jump({ monotonicMs: 59_000 });
  await run.write('in time\n');
  await untilOutput(run, 'got in time');
  rig.jump({ monotonicMs: 61_000 });
  assert.equal((await run.wait()).reason, 'overall-timeout');
});

test('T5: deadlines hold while no owner lives, and the next one finds the reason', {
  skip,
}, async (t) => {
  const rig = createClockRig(t);
  const owner = await rig.owner(rig.clocked);
  const { runId, pid } = await owner.call('spawn', rig.sh('exec sleep 300'));
  await owner.kill();
  rig.jump({ monotonicMs: 61_000 });
  await rig.untilGone(pid);
  const supervisor = await rig.supervisor(rig.clocked);
  assert.equal(supervisor.get(runIdOf(runId))?.exit?.reason, 'overall-timeout');
  assert.equal(rig.events.counted('run_timeout_total', { type: 'overall' }), 1);
});

test('T9: a run that ends with its owner is ended by its shim after the lease', {
  skip,
}, async (t) => {
  const rig = createClockRig(t);
  const owner = await rig.owner(rig.clocked);
  const input = rig.sh('exec sleep 300', { ownerLoss: 'kill', overallTimeoutMs: undefined });
  const { runId, pid } = await owner.call('spawn', input);
  await owner.kill();
  /* The lease counts from the moment at which the shim notices. */
  let monotonicMs = 0;
  const isEnded = (): boolean => {
    monotonicMs += 16_000;
    rig.jump({ monotonicMs });
    return !isAlive(pid);
  };
  await rig.until(isEnded, 'the run ends');
  const supervisor = await rig.supervisor(rig.clocked);
  assert.equal(supervisor.get(runIdOf(runId))?.exit?.reason, 'owner-lost');
});

test('T9: an owner that closes has let go on purpose, and its runs go on', { skip }, async (t) => {
  const rig = createClockRig(t);
  const owner = await rig.owner(rig.clocked);
  const input = rig.sh('read line; exit 4', { ownerLoss: 'kill', overallTimeoutMs: undefined });
  const { runId, pid } = await owner.call('spawn', input);
  await owner.call('close');
  await owner.kill();
  rig.jump({ monotonicMs: 60_000 });
  const supervisor = await rig.supervisor(rig.clocked);
  assert.equal(rig.events.all('reconcile')[0]?.decision.decision, 'adopted');
  assert.ok(isAlive(pid));
  const run = await supervisor.attach(runIdOf(runId));
  await run.write('\n');
  assert.equal((await run.wait()).code, 4);
});
