/*
 * What a command gets from us (S4, E3): exactly three descriptors, a clean signal state, and what was asked for.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { nativeTest, until } from './rig.ts';
import { descriptorsOf, type Run, statusOf } from './run.ts';
import { memoryOf, runDirOf, spawndOf } from './users.ts';

const idle = ['sleep', '600'] as const;

nativeTest('S4: a command on pipes has three descriptors, all of its own', async (rig) => {
  const run = await rig.run(idle, { stdin: 'open' });
  const { pid, shimPid } = await run.started();
  /* Its loader opens and closes some of its own; what we left open would stay. */
  await until('only three are open', () => [...descriptorsOf(pid).keys()].join() === '0,1,2');
  const fds = descriptorsOf(pid);
  assert.deepEqual(new Set(fds.values()).size, 3);
  for (const target of fds.values()) assert.match(target, /^pipe:/);
  /* And the shim holds none of the child's ends. */
  const shimFds = [...descriptorsOf(shimPid).values()].filter((target) =>
    target.startsWith('pipe:'),
  );
  assert.deepEqual(shimFds.sort(), [...fds.values()].sort());
});

nativeTest('S4: a command on a terminal has it three times, and nothing else', async (rig) => {
  const run = await rig.run(idle, { pty: { cols: 80, rows: 24 } });
  const { pid } = await run.started();
  /* Its loader opens and closes some of its own; what we left open would stay. */
  await until('only three are open', () => [...descriptorsOf(pid).keys()].join() === '0,1,2');
  const fds = descriptorsOf(pid);
  assert.match(fds.get(0) ?? '', /^\/dev\/pts\//);
  assert.equal(new Set(fds.values()).size, 1);
});

nativeTest('S4: a command without input reads the end of it at once', async (rig) => {
  const run = await rig.run(['cat'], { stdin: 'null' });
  assert.equal((await run.ended()).exit.code, 0);
});

nativeTest('S4: no signal is blocked or ignored, whatever our starter did', async (rig) => {
  /* A starter that ignores and blocks what it can, as nohup and some runtimes do. */
  const trap = rig.program(
    'deaf',
    '#!/bin/sh\ntrap \'\' HUP INT QUIT PIPE TERM CHLD USR1 TTOU\nexec "$@"\n',
  );
  const link = await rig.newSpawnd({ wrap: [trap] });
  const run = await rig.run(idle, {}, link);
  const { pid } = await run.started();
  for (const name of ['SigBlk', 'SigIgn', 'SigCgt', 'SigPnd', 'ShdPnd']) {
    assert.equal(statusOf(pid, name), '0000000000000000', name);
  }
});

nativeTest('S4: the environment is the one that was asked for, byte by byte', async (rig) => {
  const env = { PATH: '/usr/bin:/bin', EMPTY: '', TEXT: 'a=b\nç\u{1f600}' };
  const run = await rig.run(idle, { env });
  const { pid } = await run.started();
  const seen = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').slice(0, -1);
  assert.deepEqual(
    seen,
    Object.entries(env).map(([name, value]) => `${name}=${value}`),
  );
});

nativeTest(
  'S4: a shim does not hold the secrets of the runs beside it',
  async (rig) => {
    const secret = (n: number): string => `canary-${n}-`.repeat(40);
    const link = await rig.spawnd();
    const runs: Run[] = [];
    for (let n = 0; n < 8; n += 1)
      runs.push(await rig.run(idle, { env: { SECRET: secret(n) } }, link));
    const starts = await Promise.all(runs.map((run) => run.started()));
    for (const { shimPid } of starts) assertForgotten(shimPid);
    assertForgotten(link.hello.pid);
  },
  { root: true, variants: ['test', 'release'] },
);

/* Reads all the memory it can: heap, stack and data. */
function assertForgotten(pid: number): void {
  const mem = memoryOf(pid);
  assert.ok(mem.length > 0);
  assert.equal(mem.includes('canary-'), false, `process ${pid} remembers a secret`);
}

nativeTest('E3: the command is taken for want of memory before its shim is', async (rig) => {
  const run = await rig.run(idle, { oomScoreAdj: 500 });
  const { pid, shimPid } = await run.started();
  assert.equal(oomScoreOf(pid), 500);
  assert.equal(oomScoreOf(shimPid), oomScoreOf(process.pid));
});

nativeTest(
  'E3: a score is raised, never lowered',
  async (rig) => {
    const link = await rig.newSpawnd({ wrap: ['choom', '-n', '300', '--'] });
    const lower = await rig.run(idle, { oomScoreAdj: 100 }, link);
    const none = await rig.run(idle, {}, link);
    for (const run of [lower, none]) {
      const { pid, shimPid } = await run.started();
      assert.deepEqual([oomScoreOf(pid), oomScoreOf(shimPid)], [300, 300]);
    }
  },
  { programs: ['choom'] },
);

nativeTest(
  'E3: without privileges the shim takes its own score back too',
  async (rig) => {
    const uid = 64_010;
    const link = await spawndOf(rig, uid);
    const run = await rig.run(idle, { runDir: runDirOf(rig, uid), oomScoreAdj: 400 }, link);
    const { pid, shimPid } = await run.started();
    assert.deepEqual([oomScoreOf(pid), oomScoreOf(shimPid)], [400, 0]);
  },
  { root: true, programs: ['setpriv'] },
);

nativeTest('umask, nice and limits of resources are set as asked', async (rig) => {
  const run = await rig.run(idle, {
    umask: 0o027,
    nice: 7,
    rlimits: [
      { resource: 7, soft: 100, hard: 200 },
      { resource: 1, soft: 4096, hard: 'unlimited' },
    ],
  });
  const { pid, shimPid } = await run.started();
  assert.equal(statusOf(pid, 'Umask'), '0027');
  assert.equal(statusOf(shimPid, 'Umask'), '0077');
  assert.equal(niceOf(pid), 7);
  assert.equal(niceOf(shimPid), 7, 'what it says is written down with its own priority');
  const limits = readFileSync(`/proc/${pid}/limits`, 'utf8');
  assert.match(limits, /^Max open files +100 +200 /m);
  assert.match(limits, /^Max file size +4096 +unlimited /m);
});

nativeTest('without a umask the command has the one spawnd was started with', async (rig) => {
  const narrow = rig.program('narrow', '#!/bin/sh\numask 031\nexec "$@"\n');
  const run = await rig.run(idle, {}, await rig.newSpawnd({ wrap: [narrow] }));
  assert.equal(statusOf((await run.started()).pid, 'Umask'), '0031');
});

nativeTest(
  'E7: a run of another user is that user’s alone, and may open its own output',
  async (rig) => {
    const user = { uid: 64_020, gid: 64_021, groups: [64_022, 64_023] };
    const run = await rig.sh('echo one > /dev/stdout; echo two > /dev/stderr; exec sleep 600', {
      user,
    });
    const { pid } = await run.started();
    await run.says('two');
    assert.match(statusOf(pid, 'Uid'), /^64020\t64020\t64020\t64020$/);
    assert.match(statusOf(pid, 'Gid'), /^64021\t64021\t64021\t64021$/);
    assert.equal(statusOf(pid, 'Groups'), '64022 64023');
    assert.match(statusOf(pid, 'CapEff'), /^0+$/);
    assert.match(statusOf(pid, 'CapPrm'), /^0+$/);
    assert.equal((await run.output()).toString(), 'one\ntwo\n');
    const terminal = await rig.sh('echo > /dev/tty; tty; exec sleep 600', {
      user,
      pty: { cols: 80, rows: 24 },
    });
    await terminal.says('/dev/pts/');
  },
  { root: true },
);

nativeTest(
  'T8: a command of another user still dies with its shim',
  async (rig) => {
    const run = await rig.run(idle, { user: { uid: 64_020, gid: 64_020, groups: [] } });
    const { shimPid } = await run.started();
    process.kill(shimPid, 'SIGKILL');
    await run.log.until('shim-lost');
  },
  { root: true },
);

nativeTest('the last priority takes what others leave, and no other does', async (rig) => {
  for (const [nice, policy] of [
    [19, '5'],
    [18, '0'],
  ] as const) {
    const { pid, shimPid } = await (await rig.run(idle, { nice })).started();
    assert.deepEqual([policyOf(pid), policyOf(shimPid)], [policy, policy], `nice ${nice}`);
  }
});

/* 0 is the usual one, 5 is SCHED_IDLE. */
function policyOf(pid: number): string | undefined {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[38];
}

function oomScoreOf(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/oom_score_adj`, 'utf8'));
}

function niceOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16]);
}
