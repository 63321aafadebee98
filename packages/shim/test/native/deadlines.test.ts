/*
 * Deadlines and owners (T5, T9, C1): they live in the shim, count monotonic time, and hold while nobody listens.
 * Where time has to pass, the test moves the clock of the test build.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { SpawndLink } from '../../src/index.ts';
import { nativeTest, type Rig } from './rig.ts';
import { startTicksOf } from './run.ts';

const hour = 3_600_000;
const idle = ['sleep', '600'] as const;

const withClock = (rig: Rig): Promise<SpawndLink> => rig.newSpawnd({ env: rig.clockEnv });

nativeTest('T5: the overall deadline ends a run that goes on and on', async (rig) => {
  const run = await rig.sh('while :; do echo tick; sleep 0.02; done', { overallMs: 150 });
  const { exit, end } = await run.ended();
  assert.deepEqual([exit.reason, exit.actor, exit.signal], ['overall-timeout', 'deadline', 15]);
  assert.equal(end.reason, 'overall-timeout');
});

nativeTest(
  'T5: a deadline of one millisecond ends a run, whatever it was about to do',
  async (rig) => {
    const run = await rig.run(idle, { overallMs: 1 });
    const { exit } = await run.ended();
    assert.equal(exit.reason, 'overall-timeout');
  },
);

nativeTest(
  'T5: a deadline that is first keeps its reason when somebody else asks later',
  async (rig) => {
    const script = 'trap "" TERM; echo ready; while :; do sleep 0.02; done';
    const run = await rig.sh(script, { graceMs: 60_000 });
    // Its trap stands before its time begins to count.
    await run.says('ready');
    const control = await rig.control(run);
    await control.request({ type: 'deadlines', epoch: 1, overallMs: 100, noOutputMs: 'keep' });
    await run.log.until('terminating');
    const ask = { type: 'terminate', epoch: 1, reason: 'manual-cancel', actor: 'me' } as const;
    await control.request({ ...ask, graceMs: 0 });
    const { exit } = await run.ended();
    assert.deepEqual([exit.reason, exit.actor, exit.signal], ['overall-timeout', 'deadline', 9]);
  },
);

nativeTest(
  'T5: silence ends a run, and each byte of output begins the wait anew',
  async (rig) => {
    const link = await withClock(rig);
    const run = await rig.run(['cat'], { stdin: 'open', noOutputMs: hour }, link);
    await run.started();
    const control = await rig.control(run);
    for (let step = 1; step <= 3; step += 1) {
      rig.moveClock({ monotonicMs: step * 0.7 * hour });
      await control.input(Buffer.from(`${step}\n`), { epoch: 1, offset: 'typed' });
      await run.says(`${step}\n`);
    }
    rig.moveClock({ monotonicMs: (3 * 0.7 + 1) * hour });
    const { exit } = await run.ended();
    assert.deepEqual([exit.reason, exit.actor], ['no-output-timeout', 'deadline']);
    assert.equal((await run.output()).toString(), '1\n2\n3\n');
  },
  { hooks: true },
);

nativeTest(
  'C1: the wall clock may jump by years in both directions, and no deadline is due',
  async (rig) => {
    const link = await withClock(rig);
    const run = await rig.run(['cat'], { stdin: 'open', overallMs: hour, noOutputMs: hour }, link);
    await run.started();
    const control = await rig.control(run);
    for (const years of [5, -5]) {
      rig.moveClock({ wallMs: years * 365 * 24 * hour });
      await control.input(Buffer.from(`${years}\n`), { epoch: 1, offset: 'typed' });
      await run.says(`${years}\n`);
    }
    assert.equal((await rig.control(run)).hello.state, 'running');
    await control.request({ type: 'eof', epoch: 1, offset: 'now' });
    const { exit } = await run.ended();
    assert.equal(exit.reason, 'exit');
    assert.ok(exit.endedUs < exit.startedUs, 'the record shows the wall clock as it was');
    assert.ok(exit.durationMs < hour / 2, 'but how long it took was measured with the other one');
  },
  { hooks: true },
);

nativeTest(
  'C1: a deadline comes with monotonic time, though the wall clock stands still',
  async (rig) => {
    const link = await withClock(rig);
    const run = await rig.run(idle, { overallMs: 5 * hour }, link);
    await run.started();
    rig.moveClock({ monotonicMs: 4 * hour, wallMs: 0 });
    await rig.control(run);
    assert.equal((await rig.control(run)).hello.state, 'running');
    rig.moveClock({ monotonicMs: 6 * hour, wallMs: 0 });
    const { exit } = await run.ended();
    assert.equal(exit.reason, 'overall-timeout');
    assert.ok(exit.durationMs >= 5 * hour);
  },
  { hooks: true },
);

nativeTest(
  'T5: deadlines can be moved, taken away and brought back while a run goes on',
  async (rig) => {
    const run = await rig.run(idle, { overallMs: 3 * hour });
    await run.started();
    const control = await rig.control(run);
    const command = { type: 'deadlines', epoch: 1 } as const;
    await control.request({ ...command, overallMs: 'none', noOutputMs: 'keep' });
    await control.request({ ...command, overallMs: 'keep', noOutputMs: Number.MAX_SAFE_INTEGER });
    assert.equal((await rig.control(run)).hello.state, 'running');
    await control.request({ ...command, overallMs: 'keep', noOutputMs: 30 });
    assert.equal((await run.ended()).exit.reason, 'no-output-timeout');
  },
);

nativeTest('T5: a deadline beyond all time is no deadline that is past', async (rig) => {
  const run = await rig.run(idle, {
    overallMs: Number.MAX_SAFE_INTEGER,
    noOutputMs: Number.MAX_SAFE_INTEGER,
  });
  await run.started();
  assert.equal((await rig.control(run)).hello.state, 'running');
});

nativeTest('T4, T5: leftovers that were kept end with the deadline of their run', async (rig) => {
  const run = await rig.sh('setsid sleep 600 & exit 4', { leftovers: 'keep' });
  const { exit } = await run.exited();
  assert.deepEqual([exit.code, exit.reason], [4, 'exit']);
  const control = await rig.control(run);
  await control.request({ type: 'deadlines', epoch: 1, overallMs: 100, noOutputMs: 'keep' });
  const { exit: same, end } = await run.ended();
  assert.deepEqual([same.code, same.reason], [4, 'exit']);
  assert.deepEqual([end.reason, end.actor], ['overall-timeout', 'deadline']);
  assert.equal(end.killed.pid, 1);
});

/* A process that does nothing but own. */
async function startOwner(
  rig: Rig,
): Promise<{ pid: number; startTicks: number; end(): Promise<void> }> {
  const child = spawn('sleep', ['600'], { stdio: 'ignore' });
  const { pid = 0 } = child;
  const gone = once(child, 'exit');
  const end = async (): Promise<void> => {
    child.kill('SIGKILL');
    await gone;
  };
  rig.defer(end);
  return { pid, startTicks: startTicksOf(pid), end };
}

nativeTest(
  'T9: with policy kill a run ends after its owner and the lease, unless somebody claims it',
  async (rig) => {
    const owner = await startOwner(rig);
    const change = {
      ownerLoss: 'kill',
      owner: { instance: 'one', generation: 1, ...owner },
    } as const;
    const lost = await rig.run(idle, { ...change, leaseMs: 50 });
    const kept = await rig.run(idle, { ...change, leaseMs: 60_000 });
    await Promise.all([lost.started(), kept.started()]);
    await owner.end();
    const { exit } = await lost.ended();
    assert.deepEqual([exit.reason, exit.actor], ['owner-lost', 'owner-loss-policy']);
    const control = await rig.control(kept);
    assert.equal(control.hello.state, 'running');
    const heir = { pid: process.pid, startTicks: startTicksOf(process.pid) };
    await control.request({ type: 'claim', epoch: 2, generation: 2, instance: 'two', ...heir });
    assert.equal((await rig.control(kept)).hello.epoch, 2);
  },
);

nativeTest(
  'T9: an owner that is already gone at the start is lost like one that goes',
  async (rig) => {
    const owner = await startOwner(rig);
    await owner.end();
    const run = await rig.run(idle, {
      ownerLoss: 'kill',
      leaseMs: 20,
      owner: { instance: 'one', generation: 1, ...owner },
    });
    assert.equal((await run.ended()).exit.reason, 'owner-lost');
  },
);

nativeTest('T9: a pid that belongs to somebody else by now is not the owner', async (rig) => {
  const other = await startOwner(rig);
  const run = await rig.run(idle, {
    ownerLoss: 'kill',
    leaseMs: 20,
    owner: { instance: 'one', generation: 1, pid: other.pid, startTicks: other.startTicks - 1 },
  });
  assert.equal((await run.ended()).exit.reason, 'owner-lost');
});

nativeTest('T9: with policy adopt a run does not mind who owns it', async (rig) => {
  const owner = await startOwner(rig);
  const run = await rig.run(['cat'], {
    stdin: 'open',
    ownerLoss: 'adopt',
    leaseMs: 1,
    owner: { instance: 'one', generation: 1, ...owner },
  });
  await run.started();
  await owner.end();
  const control = await rig.control(run);
  await control.input(Buffer.from('alive\n'), { epoch: 1, offset: 0 });
  await run.says('alive');
  assert.equal((await rig.control(run)).hello.state, 'running');
});

nativeTest('T9: a policy can change, and an owner can let go on purpose', async (rig) => {
  const owner = await startOwner(rig);
  const change = { owner: { instance: 'one', generation: 1, ...owner }, leaseMs: 20 };
  const released = await rig.run(idle, { ...change, ownerLoss: 'kill' });
  const hardened = await rig.run(idle, { ...change, ownerLoss: 'adopt' });
  await Promise.all([released.started(), hardened.started()]);
  await (await rig.control(released)).request({ type: 'release', epoch: 1 });
  const policy = { type: 'policy', epoch: 1, ownerLoss: 'kill', leftovers: 'end' } as const;
  await (await rig.control(hardened)).request(policy);
  await owner.end();
  assert.equal((await hardened.ended()).exit.reason, 'owner-lost');
  assert.equal((await rig.control(released)).hello.state, 'running');
});
