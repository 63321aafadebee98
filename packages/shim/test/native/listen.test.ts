/*
 * The socket through which a shielded run has our tools (TS1, TS2): `listen` outside, `relay` inside.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { isAlive, untilGone } from '../process-rig.ts';
import { nativeTest, type Rig, until } from './rig.ts';
import type { Run } from './run.ts';
import { asUser } from './users.ts';

interface Listener {
  readonly path: string;
  readonly child: ChildProcess;
  readonly ended: Promise<unknown[]>;
  readonly socketDir: string;
}

/* Of a run that lives until the test ends it, unless the test has another. */
async function listen(rig: Rig, runDir: string, program: readonly string[]): Promise<Listener> {
  const socketDir = join(rig.dir, 'tools-of-it');
  mkdirSync(socketDir, { mode: 0o700 });
  const child = spawn(rig.binaryPath, ['listen', socketDir, runDir, ...program], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: rig.clockEnv,
  });
  const ended = once(child, 'exit');
  rig.defer(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  const path = join(socketDir, 'tools');
  await until('it listens', () => existsSync(path));
  return { path, child, ended, socketDir };
}

async function livingRun(rig: Rig): Promise<Run> {
  const run = await rig.run(['sleep', '600']);
  await run.started();
  return run;
}

async function end(rig: Rig, run: Run): Promise<void> {
  const control = await rig.control(run);
  await control.request({
    type: 'terminate',
    epoch: 1,
    reason: 'manual-cancel',
    actor: 'me',
    graceMs: 0,
  });
  await run.ended();
}

function relay(
  rig: Rig,
  path: string,
): { readonly child: ChildProcess; readonly said: Promise<Buffer> } {
  const child = spawn(rig.binaryPath, ['relay', path], { stdio: ['pipe', 'pipe', 'pipe'] });
  const pieces: Buffer[] = [];
  child.stdin?.on('error', () => {});
  child.stdout?.on('data', (bytes: Buffer) => pieces.push(bytes));
  const said = once(child, 'close').then(() => Buffer.concat(pieces));
  rig.defer(async () => {
    child.kill('SIGKILL');
    await said;
  });
  return { child, said };
}

function errorsOf(child: ChildProcess): Promise<string> {
  let text = '';
  child.stderr?.on('data', (bytes: Buffer) => (text += bytes.toString()));
  return once(child, 'close').then(() => text);
}

async function connectTo(path: string): Promise<Socket> {
  const socket = connect(path);
  await once(socket, 'connect');
  return socket;
}

const childrenOf = (pid: number | undefined): readonly string[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .split(' ')
    .filter((one) => one !== '');

nativeTest(
  'TS2: a relay has a program of its own, and every byte arrives both ways',
  async (rig) => {
    const run = await livingRun(rig);
    const { path } = await listen(rig, run.request.runDir, ['/bin/cat']);
    const bytes = randomBytes(5_000_000);
    const { child, said } = relay(rig, path);
    child.stdin?.end(bytes);
    assert.ok(bytes.equals(await said));
    assert.equal(child.exitCode, 0);
  },
  { variants: ['test'] },
);

nativeTest(
  'TS2: relays do not mix, and one whose answers are not read holds up no other',
  async (rig) => {
    const run = await livingRun(rig);
    const { path } = await listen(rig, run.request.runDir, ['/bin/cat']);
    const slow = relay(rig, path);
    slow.child.stdout?.pause();
    slow.child.stdin?.write(Buffer.alloc(3_000_000, 's'));
    const other = relay(rig, path);
    other.child.stdin?.end('other');
    assert.equal((await other.said).toString(), 'other');
    slow.child.stdin?.end();
    slow.child.stdout?.resume();
    assert.equal((await slow.said).length, 3_000_000);
  },
);

nativeTest('TS2: the end of the run ends the programs and removes the socket', async (rig) => {
  const run = await livingRun(rig);
  const { path, child, ended, socketDir } = await listen(rig, run.request.runDir, [
    '/bin/sleep',
    '600',
  ]);
  await connectTo(path);
  await until('the program runs', () => childrenOf(child.pid).length === 1);
  const [program] = childrenOf(child.pid);
  await end(rig, run);
  assert.deepEqual(await ended, [0, null]);
  await untilGone(Number(program));
  assert.ok(!existsSync(socketDir));
});

nativeTest(
  'TS2: a program that ignores SIGTERM is killed when the run has ended',
  async (rig) => {
    const run = await livingRun(rig);
    const script = 'trap "" TERM; echo deaf; while :; do read line || sleep 0.05; done';
    const stubborn = ['/bin/sh', '-c', script];
    const { path, child, ended } = await listen(rig, run.request.runDir, stubborn);
    // From its first word on it ignores the signal.
    await once(await connectTo(path), 'data');
    const [program] = childrenOf(child.pid);
    await end(rig, run);
    await until('it listens no more', () => !existsSync(path));
    assert.ok(isAlive(Number(program)));
    rig.moveClock({ monotonicMs: 3_600_000 });
    assert.deepEqual(await ended, [0, null]);
    await untilGone(Number(program));
  },
  { hooks: true },
);

nativeTest(
  'TS2: a run that never starts is given up',
  async (rig) => {
    const { ended, socketDir } = await listen(rig, join(rig.dir, 'never'), ['/bin/cat']);
    rig.moveClock({ monotonicMs: 3_600_000 });
    assert.deepEqual(await ended, [0, null]);
    assert.ok(!existsSync(socketDir));
  },
  { hooks: true },
);

nativeTest('TS2: it may listen before the run starts, and finds it then', async (rig) => {
  const request = rig.request(['sleep', '600']);
  const { path, ended } = await listen(rig, request.runDir, ['/bin/cat']);
  const { child, said } = relay(rig, path);
  child.stdin?.end('early');
  assert.equal((await said).toString(), 'early');
  const run = rig.runDirect(request);
  await run.started();
  await end(rig, run);
  assert.deepEqual(await ended, [0, null]);
});

nativeTest('TS2: more connections than programs wait, and lose nothing', async (rig) => {
  const run = await livingRun(rig);
  const { path, child } = await listen(rig, run.request.runDir, ['/bin/cat']);
  const relays = Array.from({ length: 20 }, () => relay(rig, path));
  await until('sixteen run', () => childrenOf(child.pid).length === 16);
  relays.forEach((one, index) => one.child.stdin?.end(`${index}`));
  const said = await Promise.all(relays.map((one) => one.said));
  assert.deepEqual(
    said.map(String),
    relays.map((_, index) => `${index}`),
  );
});

nativeTest(
  'TS1: another user is not served',
  async (rig) => {
    const run = await livingRun(rig);
    const { path, socketDir } = await listen(rig, run.request.runDir, ['/bin/echo', 'served']);
    // Even where the directory lets them in.
    for (const open of [rig.dir, socketDir]) chmodSync(open, 0o755);
    chmodSync(path, 0o777);
    const script = `import socket; s=socket.socket(socket.AF_UNIX); s.connect("${path}"); print(s.recv(99))`;
    const [setpriv = '', ...args] = asUser(54_324);
    const child = spawn(setpriv, [...args, 'python3', '-c', script], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let said = '';
    child.stdout.on('data', (bytes: Buffer) => (said += bytes.toString()));
    await once(child, 'close');
    assert.doesNotMatch(said, /served/);
  },
  { root: true, programs: ['setpriv', 'python3'] },
);

nativeTest(
  'TS2: programs inherit nothing but the connection',
  async (rig) => {
    const run = await livingRun(rig);
    const script = 'ls /proc/self/fd | wc -l; grep -E "SigBlk|SigIgn" /proc/self/status';
    const { path } = await listen(rig, run.request.runDir, ['/bin/sh', '-c', script]);
    const { child, said } = relay(rig, path);
    child.stdin?.end();
    // ls has its own three and the directory that it lists.
    assert.match((await said).toString(), /^4\nSigBlk:\t0+\nSigIgn:\t0+\n$/);
  },
  { variants: ['test'] },
);

nativeTest('TS2: a server that ends first is a failure of the relay, and said so', async (rig) => {
  const run = await livingRun(rig);
  const { path } = await listen(rig, run.request.runDir, ['/bin/echo', 'bye']);
  const { child, said } = relay(rig, path);
  const errors = errorsOf(child);
  assert.equal((await said).toString(), 'bye\n');
  assert.match(await errors, /the tool server has ended/);
  assert.equal(child.exitCode, 1);
});

nativeTest(
  'TS4: a relay finds the listener that takes the place of one that was killed',
  async (rig) => {
    const run = await livingRun(rig);
    const { path, child, ended, socketDir } = await listen(rig, run.request.runDir, ['/bin/cat']);
    child.kill('SIGKILL');
    await ended;
    const waiting = relay(rig, path);
    waiting.child.stdin?.end('found');
    const next = spawn(rig.binaryPath, ['listen', socketDir, run.request.runDir, '/bin/cat'], {
      stdio: 'ignore',
    });
    rig.defer(async () => {
      next.kill('SIGTERM');
      await once(next, 'exit');
    });
    assert.equal((await waiting.said).toString(), 'found');
    assert.deepEqual(readdirSync(socketDir), ['tools']);
  },
);
