/*
 * The run's own socket: who gets in, what is refused, and what silence means (O3, O4, O5).
 */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openControl, ShimUnreachableError, startShimDirect } from '../src/index.ts';
import type { SpawnRequest, StartRecord } from '../src/index.ts';
import { binaryPath, clock, cookie, createEventLog, createProcessRig } from './process-rig.ts';
import { type EventLog, readAll, untilGone } from './process-rig.ts';

const options = { timeout: 60_000 };

interface StartedRun {
  readonly log: EventLog;
  readonly start: StartRecord;
}

async function started(request: SpawnRequest): Promise<StartedRun> {
  const log = createEventLog();
  startShimDirect(request, { binaryPath, onEvent: log.onEvent });
  const { start } = await log.until('started');
  return { log, start };
}

test('HELLO tells where the run stands', options, async (t) => {
  const rig = createProcessRig(t);
  const request = rig.request(['cat'], { stdin: 'open', epoch: 7 });
  const { start } = await started(request);
  const control = await rig.control(request.runDir);
  const { hello } = control;
  assert.equal(hello.version, 1);
  assert.equal(hello.state, 'running');
  assert.equal(hello.epoch, 7);
  assert.equal(hello.isStdinOpen, true);
  assert.equal(hello.isPty, false);
  assert.equal(hello.rootPid, start.pid);
  assert.equal(hello.shimPid, start.shimPid);
  assert.equal(hello.inputOffset, 0);
});

test('a wrong cookie is refused', options, async (t) => {
  const rig = createProcessRig(t);
  const request = rig.request(['sleep', '60']);
  await started(request);
  await assert.rejects(openControl(request.runDir, Buffer.alloc(16), { clock }), {
    code: 'shim-refused',
    refusal: 'bad-cookie',
  });
});

test('a claim raises the epoch, and everything older is refused with it', options, async (t) => {
  const rig = createProcessRig(t);
  const request = rig.request(['sleep', '60'], { epoch: 3 });
  await started(request);
  const old = await rig.control(request.runDir);
  const fresh = await rig.control(request.runDir);
  const claim = { type: 'claim', generation: 2, pid: process.pid, startTicks: 1 } as const;
  const stale = { code: 'shim-refused', refusal: 'stale-epoch' };
  await assert.rejects(fresh.request({ ...claim, epoch: 3, instance: 'same' }), stale);
  assert.equal((await fresh.request({ ...claim, epoch: 4, instance: 'next' })).epoch, 4);
  const commands = [
    { type: 'release', epoch: 3 },
    { type: 'deadlines', epoch: 3, overallMs: 'none', noOutputMs: 'none' },
    { type: 'policy', epoch: 3, ownerLoss: 'kill', leftovers: 'fail' },
    { type: 'signal', epoch: 3, number: 9, actor: 'old' },
    { type: 'terminate', epoch: 3, reason: 'manual-cancel', actor: 'old' },
    { type: 'consumed', epoch: 3, offset: 0 },
    { type: 'input', epoch: 3, offset: 'typed', bytes: Buffer.from('x') },
    { type: 'eof', epoch: 3, offset: 'now' },
    { type: 'attach', epoch: 3, isAttached: true },
  ] as const;
  for (const command of commands) {
    await assert.rejects(old.request(command), { ...stale, epoch: 4 }, command.type);
  }
  const { kinds } = await readAll(request.runDir, () => true);
  assert.ok(kinds.includes('claim'), 'the claim is in the journal before it is answered');
});

test('O5: a missing socket, a refused one and a silent shim are told apart', options, async (t) => {
  const rig = createProcessRig(t);
  const reason = async (runDir: string, limitMs = 5_000): Promise<string> => {
    const error = await openControl(runDir, cookie, { clock, limitMs }).catch((it: unknown) => it);
    assert.ok(error instanceof ShimUnreachableError);
    return error.reason;
  };
  assert.equal(await reason(join(rig.stateDir, 'nowhere')), 'missing');
  assert.equal(await reason(rig.newRunDir()), 'missing');
  const request = rig.request(['sleep', '60']);
  const { start } = await started(request);
  process.kill(start.shimPid, 'SIGSTOP');
  assert.equal(await reason(request.runDir, 200), 'timeout');
  process.kill(start.shimPid, 'SIGKILL');
  await untilGone(start.shimPid);
  assert.equal(await reason(request.runDir), 'refused');
  await untilGone(start.pid);
});

test(
  'a command that a stopped shim does not answer times out, and an abort is at once',
  options,
  async (t) => {
    const rig = createProcessRig(t);
    const request = rig.request(['sleep', '60']);
    const { start } = await started(request);
    const control = await openControl(request.runDir, cookie, { clock, limitMs: 200 });
    process.kill(start.shimPid, 'SIGSTOP');
    await assert.rejects(control.request({ type: 'watch' }), { code: 'shim-timeout' });
    const abort = new AbortController();
    const waiting = control.request({ type: 'watch' }, abort.signal);
    abort.abort(new Error('enough'));
    await assert.rejects(waiting, /enough/);
    process.kill(start.shimPid, 'SIGCONT');
    assert.equal(
      (await control.request({ type: 'watch' })).epoch,
      1,
      'late answers confuse nothing',
    );
    control.close();
  },
);

test('E2: a run directory deeper than any socket path', options, async (t) => {
  const rig = createProcessRig(t);
  const deep = join(...Array.from({ length: 8 }, (_, level) => `${level}`.repeat(60)));
  mkdirSync(join(rig.stateDir, deep), { recursive: true, mode: 0o700 });
  const request = rig.request(['sleep', '60'], { runDir: rig.newRunDir(join(deep, 'run')) });
  await started(request);
  assert.equal((await rig.control(request.runDir)).hello.state, 'running');
});

test(
  'a watcher hears a doorbell at once, then the end, then that the shim is gone',
  options,
  async (t) => {
    const rig = createProcessRig(t);
    const request = rig.request(['sleep', '60']);
    await started(request);
    const control = await rig.control(request.runDir);
    const log = createEventLog();
    await control.watch(log.onEvent);
    await log.until('doorbell');
    const terminate = { type: 'terminate', epoch: 1, reason: 'manual-cancel' } as const;
    await control.request({ ...terminate, actor: 'somebody' });
    const { exit, end } = await log.until('end');
    assert.equal(exit.signal, 15);
    assert.equal(exit.reason, 'manual-cancel');
    assert.equal(exit.actor, 'somebody');
    assert.equal(end.isFinal, true);
    await log.until('lost');
    assert.equal(control.isLost, true);
    await assert.rejects(control.request({ type: 'watch' }), { code: 'link-lost' });
  },
);

test('T4: leftovers that are kept: exit now, end when they are gone', options, async (t) => {
  const rig = createProcessRig(t);
  const request = rig.request(['sh', '-c', 'sleep 60 & echo $!'], { leftovers: 'keep' });
  const { log } = await started(request);
  const { exit } = await log.until('exit');
  assert.equal(exit.code, 0);
  assert.equal(exit.leftovers[0]?.comm, 'sleep');
  const control = await rig.control(request.runDir);
  assert.equal(control.hello.state, 'exited');
  const terminate = { type: 'terminate', epoch: 1, reason: 'manual-cancel' } as const;
  await control.request({ ...terminate, actor: 'me' });
  const ended = await log.until('end');
  assert.equal(ended.exit.code, 0);
  assert.equal(ended.exit.reason, 'exit', "the root's record stands");
  assert.equal(ended.end.reason, 'manual-cancel');
  assert.equal(ended.end.killed.pid, 1);
});

test('T5: a deadline set later ends the run, for the reason it is', options, async (t) => {
  const rig = createProcessRig(t);
  for (const [which, reason] of [
    ['overallMs', 'overall-timeout'],
    ['noOutputMs', 'no-output-timeout'],
  ] as const) {
    const request = rig.request(['sleep', '60'], { overallMs: undefined });
    const { log } = await started(request);
    const control = await rig.control(request.runDir);
    const kept = { overallMs: 'keep', noOutputMs: 'keep' } as const;
    await control.request({ type: 'deadlines', epoch: 1, ...kept, [which]: 30 });
    const { exit } = await log.until('end');
    assert.equal(exit.reason, reason);
  }
});

test('a signal reaches the command, and a command that is gone takes none', options, async (t) => {
  const rig = createProcessRig(t);
  const script = 'trap "echo caught; exit 5" USR1; echo ready; while :; do sleep 0.02; done';
  const request = rig.request(['sh', '-c', script]);
  const { log } = await started(request);
  await log.until('doorbell');
  const control = await rig.control(request.runDir);
  await control.request({ type: 'signal', epoch: 1, number: 10, actor: 'test' });
  const { exit } = await log.until('end');
  assert.equal(exit.code, 5);
  assert.match((await readAll(request.runDir)).output.toString(), /^ready\n(.*\n)*caught\n/);
  const gone = rig.request(['sh', '-c', 'sleep 60 &']);
  const { log: goneLog } = await started(gone);
  await goneLog.until('exit');
  const other = await rig.control(gone.runDir);
  await assert.rejects(other.request({ type: 'signal', epoch: 1, number: 10, actor: 'test' }), {
    code: 'shim-refused',
    refusal: 'not-running',
  });
});
