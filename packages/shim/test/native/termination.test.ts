/*
 * One path to the end (T1, T2, T7): the ladder, and everything that tries to get past it.
 */
import assert from 'node:assert/strict';
import { chownSync, copyFileSync, existsSync, mkdirSync, readFileSync, rmdirSync } from 'node:fs';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ControlLink } from '../../src/index.ts';
import { isAlive } from '../process-rig.ts';
import { nativeTest, type Rig, until } from './rig.ts';
import { descriptorsOf, type Run } from './run.ts';
import { runDirOf, spawndOf } from './users.ts';

const terminate = { type: 'terminate', epoch: 1, reason: 'manual-cancel', actor: 'me' } as const;

async function ask(rig: Rig, run: Run, graceMs?: number): Promise<ControlLink> {
  const control = await rig.control(run);
  await control.request({ ...terminate, graceMs });
  return control;
}

nativeTest(
  'T2: a command that heeds SIGTERM ends by it, and who asked is recorded',
  async (rig) => {
    const run = await rig.sh(
      'trap "echo bye; exit 7" TERM; echo ready; while :; do sleep 0.02; done',
    );
    await run.says('ready');
    await ask(rig, run);
    const { exit, end } = await run.ended();
    assert.deepEqual([exit.code, exit.reason, exit.actor], [7, 'manual-cancel', 'me']);
    assert.deepEqual([end.reason, end.killed], ['manual-cancel', { pid: 0, pgid: 1, cgroup: 0 }]);
    assert.match((await run.output()).toString(), /bye/);
  },
);

nativeTest(
  'T2: a command that ignores SIGTERM and SIGHUP is killed after the grace',
  async (rig) => {
    const script = 'trap "" TERM HUP INT; echo ready; while :; do sleep 0.02; done';
    for (const change of [{}, { pty: { cols: 80, rows: 24 } }]) {
      const run = await rig.sh(script, { ...change, graceMs: 50 });
      await run.says('ready');
      await ask(rig, run);
      const { exit } = await run.ended();
      assert.deepEqual([exit.signal, exit.reason], [9, 'manual-cancel']);
    }
  },
);

nativeTest('T2: a stopped command is continued, so that it can end by itself', async (rig) => {
  const script =
    'trap "echo woke; exit 3" TERM; echo ready; kill -STOP $$; while :; do sleep 0.02; done';
  const run = await rig.sh(script, { graceMs: 60_000 });
  await run.says('ready');
  const { pid } = await run.started();
  await until('it is stopped', () => /\) T /.test(readFileSync(`/proc/${pid}/stat`, 'utf8')));
  await ask(rig, run);
  assert.equal((await run.ended()).exit.code, 3);
});

nativeTest(
  'T2: nobody gets SIGTERM twice: some take the second one for an order to hurry',
  async (rig) => {
    const counter = rig.program(
      'counter',
      '#!/bin/sh\nn=0\ntrap "n=\\$((n+1))" TERM\necho "up $$"\ni=0\nwhile [ $i -lt 20 ]; do sleep 0.02; i=$((i+1)); done\necho "count $n"\n',
    );
    const run = await rig.sh(`setsid ${counter} & ${counter} & trap "" TERM; wait`, {
      graceMs: 60_000,
    });
    await run.untilOutput((seen) => seen.toString().split('up').length === 3);
    await ask(rig, run);
    await run.ended();
    const counts = (await run.output()).toString().match(/count \d+/g);
    assert.deepEqual(counts, ['count 1', 'count 1']);
  },
);

nativeTest('T2: asking twice is harmless, and less patience shortens the wait', async (rig) => {
  const run = await rig.sh('trap "" TERM; echo ready; while :; do sleep 0.02; done', {
    graceMs: 60_000,
  });
  await run.says('ready');
  const control = await ask(rig, run);
  await control.request({ ...terminate, actor: 'second' });
  await control.request({ ...terminate, actor: 'third', graceMs: 0 });
  const { exit, end } = await run.ended();
  assert.deepEqual([exit.signal, exit.actor], [9, 'me']);
  assert.equal(end.killed.pgid, 1);
  const notes = (await run.entries()).filter((entry) => entry.kind === 'note');
  assert.equal(notes.length, 1);
});

nativeTest('T7: SIGTERM to a shim is a request to end its run', async (rig) => {
  const run = await rig.run(['sleep', '600']);
  const { shimPid } = await run.started();
  process.kill(shimPid, 'SIGTERM');
  const { exit } = await run.ended();
  assert.equal(exit.reason, 'manual-cancel');
  assert.match(exit.actor ?? '', new RegExp(`pid:${process.pid}\\b`));
});

nativeTest('T7: any other signal a shim can block is not heard', async (rig) => {
  const run = await rig.run(['cat'], { stdin: 'open' });
  const { shimPid } = await run.started();
  for (const name of ['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGPIPE', 'SIGUSR1', 'SIGALRM'] as const) {
    process.kill(shimPid, name);
  }
  const control = await rig.control(run);
  await control.input(Buffer.from('still\n'), { epoch: 1, offset: 0 });
  await run.says('still');
});

nativeTest(
  'T2: a storm in which every generation detaches is over when the run is',
  async (rig) => {
    /* 2^8 leaves, each reached through generations that start a session, clear everything and go. */
    const storm = rig.program(
      'storm',
      '#!/bin/sh\ntrap "" TERM HUP INT\nn=$1\nif [ "$n" -le 0 ]; then echo leaf; exec sleep 600; fi\n' +
        'setsid env -i PATH=/usr/bin:/bin "$0" $((n-1)) &\nsetsid env -i PATH=/usr/bin:/bin "$0" $((n-1)) &\n',
    );
    const run = await rig.run([storm, '8'], { graceMs: 10, leftovers: 'keep', killMs: 30_000 });
    await run.untilOutput((seen) => seen.toString().split('leaf').length > 256);
    await ask(rig, run);
    const { end } = await run.ended();
    assert.equal(end.isFinal, true);
    assert.deepEqual(end.survivors, []);
    assert.equal(end.killed.pid, 256);
    assert.ok(end.escapees >= 256);
  },
);

nativeTest('T2: processes that never stand still are caught all the same', async (rig) => {
  /* Each one lives just long enough to start the next in a session of its own. */
  const runner = rig.program(
    'runner',
    '#!/bin/sh\ntrap "" TERM HUP INT\n[ -e "$1" ] || exit\nsetsid "$0" "$1" >/dev/null 2>&1 &\n',
  );
  const flag = join(rig.dir, 'go');
  writeFileSync(flag, '');
  const script = `i=0; while [ $i -lt 12 ]; do setsid ${runner} ${flag} & i=$((i+1)); done; exec sleep 600`;
  const run = await rig.sh(`echo ready; ${script}`, { graceMs: 10, killMs: 30_000 });
  rig.defer(() => void (existsSync(flag) && writeFileSync(`${flag}-over`, '')));
  await run.says('ready');
  await ask(rig, run);
  const { end } = await run.ended();
  assert.equal(end.isFinal, true);
  assert.deepEqual(end.survivors, []);
});

nativeTest(
  'T2: a double fork into a session of its own with nothing in its environment ends too',
  async (rig) => {
    const up = join(rig.dir, 'up');
    const inner = `echo up > ${up}; exec sleep 600`;
    const detach = `(setsid env -i /bin/sh -c "${inner}" </dev/null >/dev/null 2>&1 &)`;
    const run = await rig.sh(`${detach}; exec sleep 601`);
    await until('it has detached', () => existsSync(up));
    await ask(rig, run);
    const { end } = await run.ended();
    assert.deepEqual([end.isFinal, end.escapees], [true, 1]);
  },
);

nativeTest(
  'T1: a process that cannot be killed is reported, held, and its end is told when it comes',
  async (rig) => {
    const uid = 64_030;
    const link = await spawndOf(rig, uid);
    const become = join(rig.dir, 'become-root');
    copyFileSync('/usr/bin/setpriv', become);
    chownSync(become, 0, 0);
    chmodSync(become, 0o4755);
    const script = `${become} --reuid 0 --regid 0 --clear-groups sleep 600 & echo "pid $!"; trap "" TERM; wait`;
    const change = { runDir: runDirOf(rig, uid), graceMs: 20, killMs: 200 };
    const run = await rig.run(['sh', '-c', script], change, link);
    const output = await run.untilOutput((seen) => /pid \d+\n/.test(seen.toString()));
    const survivor = Number(/pid (\d+)/.exec(output.toString())?.[1]);
    await until('it has become root', () => isRoot(survivor));
    await ask(rig, run);
    const { end, exit } = await run.log.until('end');
    assert.equal(end.isFinal, false);
    assert.deepEqual([exit.signal, exit.reason], [9, 'manual-cancel']);
    assert.deepEqual(
      end.survivors.map((process_) => process_.pid),
      [survivor],
    );
    /* T2: what could not be signalled is not counted as killed. */
    assert.equal(end.killed.pid, 0);
    const { shimPid } = await run.started();
    assert.ok(isAlive(shimPid));
    /* T1: the pipes are hung up: nobody waits for a reader who only survivors write to. */
    const pipes = [...descriptorsOf(shimPid).values()].filter((target) =>
      target.startsWith('pipe:'),
    );
    assert.deepEqual(pipes, []);
    assert.equal((await rig.control(run)).hello.state, 'ended');
    process.kill(survivor, 'SIGKILL');
    const final = await run.ended();
    assert.deepEqual([final.end.isFinal, final.end.survivors], [true, []]);
    const kinds = (await run.entries()).map((entry) => entry.kind).slice(-3);
    assert.deepEqual(kinds, ['exit', 'end', 'end']);
  },
  { root: true, programs: ['setpriv'] },
);

function isRoot(pid: number): boolean {
  return /^Uid:\t0\t0\t0\t0$/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
}

const freezerRoot = '/sys/fs/cgroup/freezer';

nativeTest(
  'T1: a root that stands still in the kernel is given up on, and tried again',
  async (rig) => {
    if (!existsSync(`${freezerRoot}/cgroup.procs`))
      return; /* Version 1 of the freezer: what it holds ignores SIGKILL. */
    const frozen = join(freezerRoot, rig.fence.mark);
    const run = await rig.run(['sleep', '600'], { graceMs: 10, killMs: 100 });
    const { pid } = await run.started();
    mkdirSync(frozen);
    rig.defer(() => rmdirSync(frozen));
    writeFileSync(join(frozen, 'cgroup.procs'), `${pid}`);
    writeFileSync(join(frozen, 'freezer.state'), 'FROZEN');
    rig.defer(() => writeFileSync(join(frozen, 'freezer.state'), 'THAWED'));
    await until('it stands still', () => {
      return readFileSync(join(frozen, 'freezer.state'), 'utf8').trim() === 'FROZEN';
    });
    await ask(rig, run);
    const { exit, end } = await run.log.until('end');
    assert.deepEqual(
      [exit.code, exit.signal, exit.reason],
      [undefined, undefined, 'manual-cancel'],
    );
    assert.deepEqual([end.isFinal, end.survivors.map((process_) => process_.pid)], [false, [pid]]);
    writeFileSync(join(frozen, 'freezer.state'), 'THAWED');
    assert.equal((await run.ended()).end.isFinal, true);
  },
  { root: true },
);

nativeTest(
  'T1: 256 KiB that wait in the pipe when a run is ended are all in its journal',
  async (rig) => {
    const script =
      'trap "" TERM; head -c 262144 /dev/zero | tr "\\0" x; echo; echo done >&2; exec sleep 600';
    const run = await rig.sh(script, { graceMs: 10 });
    await run.log.until('started');
    await run.says('done');
    await ask(rig, run);
    await run.ended();
    const output = await run.output('stdout');
    assert.equal(output.length, 262_145);
  },
);

nativeTest('T3: an exit that came before the request keeps its own reason', async (rig) => {
  const run = await rig.sh('setsid sleep 600 & exit 6', { leftovers: 'keep' });
  await run.exited();
  await ask(rig, run);
  const { exit, end } = await run.ended();
  assert.deepEqual([exit.code, exit.reason, exit.actor], [6, 'exit', undefined]);
  assert.deepEqual([end.reason, end.actor], ['manual-cancel', 'me']);
});

nativeTest(
  'a signal is sent to the group of the root, and refused once the root is gone',
  async (rig) => {
    const inner = 'setsid sh -c "echo ready; exec sleep 600"';
    const script = `trap "echo usr" USR1; ${inner} & while :; do sleep 0.02; done`;
    const run = await rig.sh(script, { leftovers: 'keep' });
    await run.says('ready');
    const control = await rig.control(run);
    const signal = { type: 'signal', epoch: 1, actor: 'me' } as const;
    await control.request({ ...signal, number: 10 });
    await run.says('usr');
    for (const number of [0, 65, 4_000_000_000]) {
      await assert.rejects(control.request({ ...signal, number }), { refusal: 'bad-message' });
    }
    await control.request({ ...signal, number: 9 });
    await run.exited();
    await assert.rejects(control.request({ ...signal, number: 15 }), { refusal: 'not-running' });
  },
);
