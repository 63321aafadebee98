/*
 * How a command ends, and how it fails to begin (S2, T3): codes, signals, cores, and every stage of a start.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import type { ControlLink, SpawnRequest } from '../../src/index.ts';
import { isAlive } from '../process-rig.ts';
import { nativeTest, type Rig, until } from './rig.ts';
import { type Run, statusOf } from './run.ts';
import { runDirOf, spawndOf } from './users.ts';

const { errno, signals } = constants;

nativeTest('the code of an exit is the code of the command', async (rig) => {
  for (const code of [0, 1, 127, 255]) {
    const { exit, end } = await (await rig.sh(`exit ${code}`)).ended();
    assert.deepEqual([exit.code, exit.signal, exit.reason], [code, undefined, 'exit']);
    assert.deepEqual(end.killed, { pid: 0, pgid: 0, cgroup: 0 });
  }
});

nativeTest('T3: death by a signal says which one, and that it was nobody of ours', async (rig) => {
  for (const name of ['SIGKILL', 'SIGTERM', 'SIGSEGV', 'SIGUSR1'] as const) {
    const { exit } = await (await rig.sh(`kill -${name.slice(3)} $$`)).ended();
    assert.deepEqual([exit.code, exit.signal], [undefined, signals[name]]);
    assert.deepEqual([exit.reason, exit.actor], ['signal', undefined]);
  }
});

nativeTest(
  'T3: who had the shim send the signal that a command dies of is recorded',
  async (rig) => {
    const send = async (script: string, sent: readonly (keyof typeof signals)[]) => {
      const run = await rig.sh(`${script}; echo ready; while :; do sleep 0.02; done`);
      await run.says('ready');
      const { pid } = await run.started();
      const control = await rig.control(run);
      for (const [index, name] of sent.entries()) {
        const actor = `person ${index}`;
        await control.request({ type: 'signal', epoch: 1, number: signals[name], actor });
        // Of two that wait at once the lower number comes first.
        const isStopped = (): boolean => statusOf(pid, 'State').startsWith('T');
        if (name === 'SIGSTOP') await until('it stands still', isStopped);
      }
      const { exit, end } = await run.ended();
      return [exit.reason, exit.signal, exit.actor, end.actor];
    };
    const { SIGKILL, SIGHUP } = signals;
    assert.deepEqual(await send(':', ['SIGKILL']), ['signal', SIGKILL, 'person 0', 'person 0']);
    const stopped = await send(':', ['SIGSTOP', 'SIGHUP', 'SIGCONT']);
    assert.deepEqual(stopped, ['signal', SIGHUP, 'person 1', 'person 1']);
    const other = await send('trap "kill -KILL $$" TERM', ['SIGTERM']);
    assert.deepEqual(other, ['signal', SIGKILL, undefined, undefined], 'not the one that was sent');
  },
);

nativeTest('a core dump is told when there was one, and only then', async (rig) => {
  const core = { resource: 4, soft: 'unlimited', hard: 'unlimited' } as const;
  /* Whether this machine writes cores at all, asked of somebody else. */
  const oracle = spawnSync('bash', ['-c', 'ulimit -c unlimited; sh -c "kill -ABRT \\$\\$"; true'], {
    cwd: rig.dir,
    encoding: 'utf8',
  });
  const dumps = oracle.stderr.includes('core dumped');
  const dumping = await rig.sh('kill -ABRT $$', { cwd: rig.dir, rlimits: [core] });
  assert.equal((await dumping.ended()).exit.hasCore, dumps);
  const none = { resource: 4, soft: 0, hard: 0 };
  const without = await rig.sh('kill -ABRT $$', { cwd: rig.dir, rlimits: [none] });
  assert.equal((await without.ended()).exit.hasCore, false);
});

nativeTest('the exit record counts what the command used', async (rig) => {
  const script = 'i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done';
  const { exit } = await (await rig.sh(script)).ended();
  assert.ok(exit.userUs + exit.systemUs > 0);
  assert.ok(exit.maxRssKb > 100);
  assert.ok(exit.endedUs >= exit.startedUs);
});

nativeTest('the end counts what processes used that the command did not wait for', async (rig) => {
  const burn = 'i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done';
  const run = await rig.sh(`(while [ ! -e go ]; do sleep 0.01; done; ${burn}) & exit 0`, {
    cwd: rig.dir,
    leftovers: 'keep',
  });
  const { exit } = await run.exited();
  writeFileSync(join(rig.dir, 'go'), '');
  const { usage } = (await run.ended()).end;
  assert.ok(usage !== undefined && usage.userUs - exit.userUs > 10_000, JSON.stringify(usage));
  assert.ok(usage.maxRssKb >= exit.maxRssKb);
});

nativeTest('the start and the exit say the same moment of the start', async (rig) => {
  const run = await rig.sh('exit 0');
  const { startedUs } = await run.started();
  assert.equal(startedUs, (await run.ended()).exit.startedUs);
});

nativeTest(
  'the end says when the last output came, and nothing else counts as output',
  async (rig) => {
    const silent = await rig.sh('while [ ! -e go ]; do sleep 0.01; done', {
      cwd: rig.dir,
    });
    await silent.started();
    const control = await rig.control(silent);
    await control.request({ type: 'signal', epoch: 1, number: signals.SIGCONT, actor: 'me' });
    writeFileSync(join(rig.dir, 'go'), '');
    const ended = await silent.ended();
    assert.deepEqual([ended.exit.lastOutputUs, ended.end.lastOutputUs], [0, 0]);
    const leaving = await rig.sh(
      'echo one; (while [ ! -e on ]; do sleep 0.01; done; echo two) & exit 0',
      {
        cwd: rig.dir,
        leftovers: 'keep',
      },
    );
    const { exit } = await leaving.exited();
    writeFileSync(join(rig.dir, 'on'), '');
    const { end } = await leaving.ended();
    assert.ok(exit.lastOutputUs && exit.lastOutputUs <= exit.endedUs);
    assert.ok(end.lastOutputUs && end.lastOutputUs > exit.lastOutputUs);
  },
);

nativeTest('the exit record counts what was read from and written to disks', async (rig) => {
  const script = `dd if=/dev/zero of=file bs=64k count=16 conv=fsync 2>/dev/null; cat /proc/$$/io`;
  const run = await rig.sh(script, { cwd: rig.dir });
  const { exit } = await run.ended();
  const text = (await run.output()).toString();
  /* The shell's own count, its children included. A file in memory counts for nothing on both sides. */
  const counted = (name: string): number =>
    Number(new RegExp(`^${name}: (\\d+)$`, 'm').exec(text)?.[1]);
  assert.ok(exit.writeBytes >= counted('write_bytes'));
  assert.ok(exit.readBytes >= counted('read_bytes'));
  if (counted('write_bytes') > 0) assert.ok(exit.writeBytes >= 1024 * 1024);
});

nativeTest('a command that cannot be executed: the error of exec, and no process', async (rig) => {
  const text = join(rig.dir, 'text');
  const noShebang = join(rig.dir, 'no-shebang');
  writeFileSync(text, 'not for execution', { mode: 0o644 });
  writeFileSync(noShebang, 'echo hello\n', { mode: 0o755 });
  const cases = [
    ['/no/such/program', errno.ENOENT],
    ['no-such-program-in-path', errno.ENOENT],
    [text, errno.EACCES],
    [rig.dir, errno.EACCES],
    [noShebang, errno.ENOEXEC],
    [`${text}/below`, errno.ENOTDIR],
  ] as const;
  for (const [file, code] of cases) {
    const run = await rig.run([file]);
    const error = await run.spawnError();
    const { exit, end } = await run.ended();
    /* A path below a file is skipped like a directory of PATH that is not there. */
    const expected = code === errno.ENOTDIR ? errno.ENOENT : code;
    assert.deepEqual([error.stage, error.errno], ['exec', expected], file);
    assert.deepEqual([exit.reason, exit.stage, exit.errno], ['spawn-error', 'exec', expected]);
    assert.deepEqual([exit.code, exit.signal], [undefined, undefined]);
    assert.equal(end.isFinal, true);
    assert.equal(
      run.log.events.some((event) => event.type === 'started'),
      false,
    );
  }
});

nativeTest('PATH is searched as a shell does it: past what may not be run', async (rig) => {
  for (const name of ['first', 'second']) mkdirSync(join(rig.dir, name));
  writeFileSync(join(rig.dir, 'first', 'tool'), '#!/bin/sh\necho first\n', { mode: 0o644 });
  writeFileSync(join(rig.dir, 'second', 'tool'), '#!/bin/sh\necho second\n', { mode: 0o755 });
  const path = [join(rig.dir, 'missing'), join(rig.dir, 'first'), join(rig.dir, 'second')];
  const env = { PATH: path.join(':') };
  const found = await rig.run(['tool'], { env });
  await found.ended();
  assert.equal((await found.output()).toString(), 'second\n');
  chmodSync(join(rig.dir, 'second', 'tool'), 0o644);
  const refused = await rig.run(['tool'], { env });
  assert.equal((await refused.spawnError()).errno, errno.EACCES);
});

nativeTest('a file to execute may differ from argv[0]', async (rig) => {
  const run = await rig.run(['another-name', '-c', 'echo "$0"'], { file: '/bin/sh' });
  await run.ended();
  assert.equal((await run.output()).toString(), 'another-name\n');
});

nativeTest(
  'the directory that is entered is the one that was meant, or nothing starts',
  async (rig) => {
    const meant = join(rig.dir, 'meant');
    const other = join(rig.dir, 'other');
    mkdirSync(meant);
    mkdirSync(other);
    const { dev: device, ino: inode } = statSync(meant, { bigint: true });
    const request = { cwd: meant, cwdId: { device, inode } };
    const right = await rig.run(['pwd'], request);
    await right.ended();
    assert.equal((await right.output()).toString(), `${meant}\n`);
    for (const wrong of [
      { device: device + 1n, inode },
      { device, inode: inode + 2n ** 40n },
    ]) {
      const refused = await rig.run(['pwd'], { ...request, cwdId: wrong });
      const { stage, errno: code } = await refused.spawnError();
      assert.deepEqual([stage, code], ['cwd', errno.ESTALE]);
      assert.equal((await refused.ended()).exit.reason, 'spawn-error');
    }
    renameSync(meant, join(rig.dir, 'moved'));
    symlinkSync(other, meant);
    const linked = await rig.run(['pwd'], request);
    assert.equal((await linked.spawnError()).errno, errno.ESTALE);
    await linked.ended();
  },
);

nativeTest('each stage of a start fails under its own name', async (rig) => {
  const cases = [
    [{ cwd: join(rig.dir, 'missing') }, 'cwd', errno.ENOENT],
    [{ cwd: '/proc/self/environ' }, 'cwd', errno.ENOTDIR],
    [{ rlimits: [{ resource: 999, soft: 1, hard: 1 }] }, 'limits', errno.EINVAL],
    [{ rlimits: [{ resource: 7, soft: 20, hard: 10 }] }, 'limits', errno.EINVAL],
  ] as const;
  for (const [change, stage, code] of cases) {
    const run = await rig.run(['true'], change);
    const error = await run.spawnError();
    assert.deepEqual([error.stage, error.errno, error.endFollows], [stage, code, true]);
    assert.equal((await run.ended()).exit.reason, 'spawn-error');
  }
});

nativeTest(
  'without the right to, another user is refused at stage user',
  async (rig) => {
    const uid = 64_000;
    const link = await spawndOf(rig, uid);
    const run = await rig.run(['true'], { runDir: runDirOf(rig, uid), user: someUser }, link);
    const error = await run.spawnError();
    assert.deepEqual([error.stage, error.errno], ['pipes', errno.EPERM]);
    await run.ended();
  },
  { root: true, programs: ['setpriv'] },
);

const someUser = { uid: 64_001, gid: 64_001, groups: [] };

nativeTest('S1: a message that is no request starts nothing', async (rig) => {
  const cases = [
    { rlimits: Array.from({ length: 17 }, () => ({ resource: 7, soft: 9, hard: 9 })) },
    { journal: { mode: 'ring', bytesMax: 100, segmentBytes: 100 } },
    { journal: { mode: 'ring', bytesMax: 4096, segmentBytes: 8192 } },
    { graceMs: 0 },
    { oomScoreAdj: 5000 },
    { env: { A: 'x'.repeat(2_000_000) } },
  ] as const;
  for (const change of cases.slice(0, 5)) {
    const run = await rig.run(['touch', join(rig.dir, 'ghost')], change);
    const error = await run.spawnError();
    assert.deepEqual([error.stage, error.endFollows], ['request', false]);
  }
  await assert.rejects(rig.run(['true'], cases[5]));
  assert.equal(existsSync(join(rig.dir, 'ghost')), false);
});

/*
 * A cgroup below a frozen one: whoever enters it stands still, as on a dead mount, until it is killed.
 */
function stuck(rig: Rig): Partial<SpawnRequest> {
  const frozen = join(rig.fence.cgroupDir ?? '', 'frozen');
  mkdirSync(frozen);
  writeFileSync(join(frozen, 'cgroup.freeze'), '1');
  const cgroup = { path: join(frozen, 'run'), memoryBytesMax: undefined, processesMax: undefined };
  return { cgroup, graceMs: 50 };
}

const terminate = { type: 'terminate', epoch: 1, reason: 'manual-cancel', actor: 'me' } as const;

nativeTest(
  'S2: a start that takes too long is ended, and says so once',
  async (rig) => {
    const run = await rig.run(['true'], { ...stuck(rig), startMs: 100 });
    const error = await run.spawnError();
    assert.deepEqual([error.stage, error.errno], ['timeout', errno.ETIMEDOUT]);
    const { exit, end } = await run.ended();
    assert.deepEqual([exit.reason, exit.stage], ['spawn-error', 'timeout']);
    assert.equal(end.isFinal, true);
    const types = run.log.events.map((event) => event.type);
    assert.equal(types.filter((type) => type === 'spawn-error').length, 1);
    assert.equal(types.includes('started'), false);
  },
  { cgroup2: true },
);

nativeTest(
  'S2, T3: a run that is ended while it starts never claims to have started',
  async (rig) => {
    const run = await rig.run(['true'], stuck(rig));
    const control = await startingControl(rig, run);
    assert.equal(control.hello.state, 'starting');
    await control.request(terminate);
    const error = await run.spawnError();
    assert.deepEqual([error.stage, error.errno], ['exec', errno.ECANCELED]);
    const { exit, end } = await run.ended();
    assert.deepEqual([exit.reason, exit.actor], ['manual-cancel', 'me']);
    assert.deepEqual([exit.code, exit.signal], [undefined, undefined]);
    assert.equal(end.isFinal, true);
    const kinds = (await run.entries()).map((entry) => entry.kind);
    assert.deepEqual(kinds, ['meta', 'note', 'exit', 'end']);
  },
  { cgroup2: true },
);

nativeTest(
  'S2, I1: input waits for a command that starts, and is refused when there is none',
  async (rig) => {
    const run = await rig.run(['cat'], { ...stuck(rig), stdin: 'open' });
    const control = await startingControl(rig, run);
    const sender = await rig.control(run);
    const refused = assert.rejects(sender.input(Buffer.from('early'), { epoch: 1, offset: 0 }));
    await control.request(terminate);
    await run.ended();
    await refused;
  },
  { cgroup2: true },
);

nativeTest(
  'a start that only took long is a start',
  async (rig) => {
    const change = stuck(rig);
    const run = await rig.run(['echo', 'late'], change);
    await startingControl(rig, run);
    writeFileSync(join(rig.fence.cgroupDir ?? '', 'frozen', 'cgroup.freeze'), '0');
    await run.started();
    assert.equal((await run.ended()).exit.code, 0);
    assert.equal((await run.output()).toString(), 'late\n');
  },
  { cgroup2: true },
);

async function startingControl(rig: Rig, run: Run): Promise<ControlLink> {
  const { cgroup, runDir } = run.request;
  await until('the child is in its cgroup', () => {
    return readIfThere(join(cgroup?.path ?? '', 'cgroup.procs')).length > 0;
  });
  await until('the socket', () => existsSync(join(runDir, 's')));
  return rig.control(run);
}

function readIfThere(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

nativeTest('a shim is gone as soon as its run is', async (rig) => {
  const run = await rig.sh('exit 0');
  const { shimPid } = await run.started();
  await run.ended();
  await until('the shim is gone', () => !isAlive(shimPid));
  /* Its socket stays, and refuses: that is evidence (O5). */
  assert.equal(existsSync(join(run.request.runDir, 's')), true);
});
