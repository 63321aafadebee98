/*
 * spawnd (S1, S2, S3, T7): what it does when it is killed, when it is stopped,
 * when the gateway does not listen, and when the system has nothing left to give.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { rmdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { Socket } from 'node:net';
import { scanJournal } from '../../src/index.ts';
import { startProgram } from '../../src/client/start-program.ts';
import { answerTypes } from '../../src/wire/constants.ts';
import { encodeSpawn } from '../../src/wire/encode-spawn.ts';
import { createFrameDecoder } from '../../src/wire/frame-decoder.ts';
import { isAlive, untilGone } from '../process-rig.ts';
import { nativeTest, until } from './rig.ts';
import { startTicksOf, type Run } from './run.ts';
import { runDirOf, spawndOf } from './users.ts';

const { errno } = constants;
const idle = ['sleep', '600'] as const;

nativeTest(
  'T7: spawnd is killed: its runs go on, and are reached over their own sockets',
  async (rig) => {
    const link = await rig.newSpawnd();
    const run = await rig.run(['cat'], { stdin: 'open' }, link);
    const { pid, shimPid } = await run.started();
    process.kill(link.hello.pid, 'SIGKILL');
    await run.log.until('lost');
    await untilGone(link.hello.pid);
    assert.ok(isAlive(pid) && isAlive(shimPid));
    const control = await rig.control(run);
    const watched: string[] = [];
    await control.watch((event) => watched.push(event.type));
    await control.input(Buffer.from('hello\n'), { epoch: 1, offset: 0 });
    await control.request({ type: 'eof', epoch: 1, offset: 6 });
    await until('the end is told to the watcher', () => watched.includes('end'));
    assert.equal((await run.output()).toString(), 'hello\n');
  },
);

nativeTest('T7: SIGTERM ends spawnd and no run', async (rig) => {
  const link = await rig.newSpawnd();
  const run = await rig.run(idle, {}, link);
  const { pid } = await run.started();
  process.kill(link.hello.pid, 'SIGTERM');
  await untilGone(link.hello.pid);
  assert.ok(isAlive(pid));
  assert.equal((await rig.control(run)).hello.state, 'running');
});

nativeTest(
  'S1: a stopped spawnd with a spawn in its queue: once the intent is void, nothing starts',
  async (rig) => {
    const link = await rig.spawnd();
    const ghost = join(rig.dir, 'ghost');
    process.kill(link.hello.pid, 'SIGSTOP');
    const run = await rig.run(['touch', ghost]);
    rmdirSync(run.request.runDir);
    process.kill(link.hello.pid, 'SIGCONT');
    const error = await run.spawnError();
    assert.deepEqual([error.stage, error.errno, error.endFollows], ['claim', errno.ENOENT, false]);
    assert.equal(existsSync(ghost), false);
  },
);

nativeTest(
  'S1: of many spawns of one run exactly one wins, and the command runs once',
  async (rig) => {
    const link = await rig.newSpawnd();
    const second = await rig.newSpawnd();
    const marks = join(rig.dir, 'marks');
    const first = await rig.run(['sh', '-c', `echo x >> ${marks}; exec sleep 600`], {}, link);
    const { runDir } = first.request;
    const others: Run[] = [];
    for (let n = 0; n < 10; n += 1) {
      others.push(
        await rig.run(['sh', '-c', `echo x >> ${marks}`], { runDir }, n % 2 ? link : second),
      );
    }
    const all = [first, ...others];
    const outcomes = await Promise.all(
      all.map((run) =>
        run.log.untilMatch(({ type }) => type === 'started' || type === 'spawn-error'),
      ),
    );
    assert.equal(outcomes.filter((event) => event.type === 'started').length, 1);
    for (const event of outcomes) {
      if (event.type === 'spawn-error')
        assert.deepEqual([event.stage, event.errno], ['claim', errno.EEXIST]);
    }
    await until('it ran', () => existsSync(marks) && readFileSync(marks, 'utf8') !== '');
    assert.equal(readFileSync(marks, 'utf8'), 'x\n');
  },
);

nativeTest(
  'S1: a run directory that others may enter, or that is none, is not claimed',
  async (rig) => {
    const shared = await rig.run(['true'], { runDir: makeDir(rig.dir, 'shared', 0o755) });
    assert.equal((await shared.spawnError()).errno, errno.EPERM);
    chmodSync(join(rig.dir, 'shared'), 0o700);
    symlinkSync(join(rig.dir, 'shared'), join(rig.dir, 'link'));
    writeFileSync(join(rig.dir, 'file'), '');
    for (const name of ['link', 'file', 'missing']) {
      const run = await rig.run(['true'], { runDir: join(rig.dir, name) });
      const error = await run.spawnError();
      assert.deepEqual([error.stage, error.endFollows], ['claim', false], name);
    }
  },
);

function makeDir(parent: string, name: string, mode: number): string {
  const dir = join(parent, name);
  spawnSync('mkdir', ['-m', mode.toString(8), dir]);
  return dir;
}

nativeTest(
  'EMFILE: a spawnd without descriptors says so, run by run, and goes on',
  async (rig) => {
    const link = await rig.newSpawnd({ wrap: ['prlimit', '--nofile=20'] });
    const runs: Run[] = [];
    for (let n = 0; n < 24; n += 1) runs.push(await rig.run(idle, {}, link));
    const outcomes = await Promise.all(
      runs.map((run) =>
        run.log.untilMatch(({ type }) => type === 'started' || type === 'spawn-error'),
      ),
    );
    const errors = outcomes.filter((event) => event.type === 'spawn-error');
    assert.ok(errors.length > 0 && errors.length < runs.length);
    for (const error of errors) {
      assert.ok(error.type === 'spawn-error');
      assert.deepEqual(
        [error.stage, error.errno, error.endFollows],
        ['spawnd', errno.EMFILE, false],
      );
    }
    for (const [index, event] of outcomes.entries()) {
      if (event.type !== 'started') continue;
      const control = await rig.control(runs[index]!);
      await control.request({ type: 'terminate', epoch: 1, reason: 'manual-cancel', actor: 'me' });
      await runs[index]!.ended();
      control.close();
    }
    const again = await rig.run(['true'], {}, link);
    assert.equal((await again.ended()).exit.code, 0);
  },
  { programs: ['prlimit'] },
);

nativeTest(
  'EMFILE: a shim without descriptors fails its run with a clear error',
  async (rig) => {
    const link = await rig.newSpawnd({ wrap: ['prlimit', '--nofile=10'] });
    const run = await rig.run(['true'], { stdin: 'open' }, link);
    const error = await run.spawnError();
    assert.equal(error.errno, errno.EMFILE);
    if (error.endFollows) assert.equal((await run.ended()).exit.reason, 'spawn-error');
  },
  { programs: ['prlimit'] },
);

nativeTest(
  'EMFILE: a shim that cannot accept does not spin, and is reached again later',
  async (rig) => {
    /* 3 + link, signals, directory, journal, socket, three pipes: the limit leaves room for three clients. */
    const link = await rig.newSpawnd({ wrap: ['prlimit', '--nofile=16'] });
    const run = await rig.run(idle, { stdin: 'open' }, link);
    const { shimPid } = await run.started();
    const sockets = Array.from({ length: 12 }, () => new Socket());
    for (const socket of sockets) {
      socket.on('error', () => {});
      socket.connect(join(run.request.runDir, 's'));
    }
    await until('all are in the queue', () => sockets.every((socket) => !socket.connecting));
    const before = cpuTicksOf(shimPid);
    const control = await rig.run(['sleep', '0.5']);
    await control.ended();
    assert.ok(cpuTicksOf(shimPid) - before < 20, 'half a second of waiting costs next to nothing');
    for (const socket of sockets) socket.destroy();
    assert.equal((await rig.control(run)).hello.state, 'running');
  },
  { programs: ['prlimit'] },
);

function cpuTicksOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(fields[11]) + Number(fields[12]);
}

nativeTest(
  'EAGAIN: no more processes for spawnd, or for its shim: each says which',
  async (rig) => {
    const uid = 100_000 + (process.pid % 50_000);
    const none = await spawndOf(rig, uid, { wrap: ['prlimit', '--nproc=1'] });
    const refused = await rig.run(['true'], { runDir: runDirOf(rig, uid, 'a') }, none);
    const first = await refused.spawnError();
    assert.deepEqual([first.stage, first.errno, first.endFollows], ['spawnd', errno.EAGAIN, false]);
    none.close();
    await untilGone(none.hello.pid);
    const one = await spawndOf(rig, uid, { wrap: ['prlimit', '--nproc=2'] });
    const half = await rig.run(['true'], { runDir: runDirOf(rig, uid, 'b') }, one);
    const second = await half.spawnError();
    assert.deepEqual([second.stage, second.errno, second.endFollows], ['fork', errno.EAGAIN, true]);
    const { exit, end } = await half.ended();
    assert.deepEqual([exit.stage, exit.errno, end.isFinal], ['fork', errno.EAGAIN, true]);
  },
  { root: true, programs: ['prlimit', 'setpriv'], variants: ['test'] },
);

nativeTest('a burst of a thousand spawns: every one ends, and none is mixed up', async (rig) => {
  const link = await rig.spawnd();
  const runs: Run[] = [];
  const count = rig.variant === 'asan' ? 200 : 1000;
  for (let n = 0; n < count; n += 1) runs.push(await rig.sh(`exit ${n % 200}`, {}));
  const ends = await Promise.all(runs.map((run) => run.ended()));
  assert.deepEqual(
    ends.map(({ exit }) => exit.code),
    ends.map((_, n) => n % 200),
  );
  assert.equal(link.isLost, false);
});

nativeTest(
  'S2: a gateway that does not listen holds up no run, and hears everything later',
  async (rig) => {
    /* Together their last words are more than spawnd may keep for a gateway. */
    const count = 400;
    const requests = Array.from({ length: count }, () =>
      rig.request(['head', '-c', '14000', '/dev/zero']),
    );
    const { child, socket } = startProgram('spawnd', rig.deps());
    rig.defer(() => untilGone(child.pid ?? 0));
    socket.pause();
    for (const [index, request] of requests.entries())
      socket.write(encodeSpawn(request, index + 1));
    await until('all have ended', () =>
      requests.every(({ runDir }) => scanJournal(runDir).end?.isFinal === true),
    );
    const heard = new Map<number, number>();
    const decoder = createFrameDecoder();
    socket.on('data', (chunk: Buffer) => {
      decoder.push(chunk, ({ type }) => heard.set(type, (heard.get(type) ?? 0) + 1));
    });
    socket.resume();
    const { end, started, shimLost } = answerTypes;
    await until('all is heard', () => heard.get(end) === count);
    socket.destroy();
    assert.deepEqual([heard.get(started), heard.get(shimLost)], [count, undefined]);
  },
);

nativeTest(
  'S3: a shim that is started directly is nobody’s child, and outlives its link',
  async (rig) => {
    const asked = rig.request(['cat'], { stdin: 'open' });
    const run = rig.runDirect(asked);
    const { shimPid, shimStartTicks } = await run.started();
    assert.equal(startTicksOf(shimPid), shimStartTicks);
    const control = await rig.control(run);
    await control.input(Buffer.from('x\n'), { epoch: 1, offset: 0 });
    await run.says('x');
    await control.request({ type: 'eof', epoch: 1, offset: 2 });
    assert.equal((await run.ended()).exit.code, 0);
  },
);

nativeTest('the binary says what it is, and explains itself when called wrongly', async (rig) => {
  const call = (...args: readonly string[]) =>
    spawnSync(rig.binaryPath, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  assert.match(call('version').stdout, /^clawdfather-shim protocol 1\n$/);
  assert.equal(call().status, 2);
  assert.match(call('help').stderr, /^usage: /);
  assert.match(call('spawnd').stderr, /descriptor 3 is not open/);
  if (rig.variant !== 'release') assert.equal(call('selftest').stdout, 'ok\n');
});
