/*
 * Confined commands: what they reach, as root and as an ordinary user, and that nothing starts where the kernel cannot confine it.
 */
import assert from 'node:assert/strict';
import { chmodSync, chownSync, linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { Confinement, Grant, SpawndLink, SpawnRequest } from '../../src/index.ts';
import { isAlive, untilGone } from '../process-rig.ts';
import { nativeTest, type Rig } from './rig.ts';
import { type Run, statusOf } from './run.ts';
import { runDirOf, spawndOf } from './users.ts';

/* Belongs to nobody. */
const uid = 54_321;

interface Place {
  readonly tree: string;
  readonly outside: string;
  readonly link: SpawndLink | undefined;
  readonly run: (argv: SpawnRequest['argv'], change?: Partial<SpawnRequest>) => Promise<Run>;
  readonly sh: (line: string, change?: Partial<SpawnRequest>) => Promise<string>;
}

const system: readonly Grant[] = [
  ...['/usr', '/bin', '/lib', '/lib64'].map((path) => grantOf(path, 'execute', true)),
  ...['/proc', '/etc/ld.so.cache', '/etc/passwd'].map((path) => grantOf(path, 'read', true)),
  ...['/dev/null', '/dev/tty'].map((path) => grantOf(path, 'write', true)),
];

function grantOf(path: string, access: Grant['access'], isOptional: boolean): Grant {
  return { path, access, isOptional };
}

function around(tree: string): Confinement {
  return { grants: [...system, grantOf(tree, 'read', false)] };
}

async function prepare(rig: Rig, user: 'root' | 'ordinary'): Promise<Place> {
  const id = user === 'root' ? (process.getuid?.() ?? 0) : uid;
  const link = user === 'ordinary' ? await spawndOf(rig, uid) : undefined;
  const tree = join(rig.dir, 'tree é');
  const outside = join(rig.dir, 'outside');
  for (const directory of [tree, outside]) {
    mkdirSync(directory);
    chownSync(directory, id, id);
  }
  for (const path of [join(tree, 'mine é.txt'), join(outside, 'secret')]) {
    writeFileSync(path, path.startsWith(tree) ? 'mine\n' : 'canary\n', { mode: 0o600 });
    chownSync(path, id, id);
  }
  symlinkSync(join(outside, 'secret'), join(tree, 'to-secret'));
  symlinkSync(outside, join(tree, 'to-outside'));
  chmodSync(rig.dir, 0o755);
  let count = 0;
  const run: Place['run'] = (argv, change) => {
    count += 1;
    const runDir = user === 'ordinary' ? { runDir: runDirOf(rig, uid, `confined-${count}`) } : {};
    const request = { cwd: tree, confine: around(tree), ...runDir, ...change };
    return rig.run(argv, request, link);
  };
  const sh: Place['sh'] = async (line, change) => {
    const started = await run(['/bin/sh', '-c', `exec 2>&1; ${line}`], change);
    await started.ended();
    return (await started.output()).toString();
  };
  return { tree, outside, link, run, sh };
}

for (const user of ['root', 'ordinary'] as const) {
  const needs = { root: true, landlock: 1 };

  nativeTest(
    `a confined command of ${user} reads its tree and the system, and nothing else`,
    async (rig) => {
      const { sh, outside } = await prepare(rig, user);
      assert.equal(
        await sh('cat "mine é.txt"; cat < "mine é.txt"; ls'),
        'mine\nmine\nmine é.txt\nto-outside\nto-secret\n',
      );
      assert.match(
        await sh('head -1 /etc/passwd; ls -d /usr/bin; ps -o comm= -p $$'),
        /^root:.*\n\/usr\/bin\nsh\n$/,
      );
      const secret = `'${outside}/secret'`;
      const attempts = [
        `cat ${secret}`,
        `cat < ${secret}`,
        `while read -r line; do echo "$line"; done < ${secret}`,
        `grep -r canary '${outside}'`,
        'cat to-secret',
        'cat to-outside/secret',
        'cd to-outside && cat secret',
        `cat /proc/self/root${secret}`,
        `cat '/proc/self/cwd/../outside/secret'`,
        `ls '${outside}'`,
        'ls to-outside/',
        'ls -R /root',
        'cat /etc/shadow',
        'cat /etc/hosts',
      ];
      for (const line of attempts) {
        const said = await sh(`${line}; echo "code $?"`);
        assert.doesNotMatch(said, /canary|secret$/m, `${line}: ${said}`);
        assert.match(said, /denied|not permitted|[Cc]annot open/, `${line}: ${said}`);
      }
      assert.equal(await sh(`echo '${outside}'/*`), `${outside}/*\n`, 'no names either');
      assert.match(await sh(`stat -c %s ${secret}`), /^7$/m, 'sizes stay visible');
    },
    needs,
  );

  nativeTest(
    `a confined command of ${user} writes nothing but devices that it was granted`,
    async (rig) => {
      const { sh, tree } = await prepare(rig, user);
      assert.equal(await sh('echo x > /dev/null 2>&1; echo "code $?"'), 'code 0\n');
      for (const line of [
        'touch new',
        `echo x >> '${tree}/mine é.txt'`,
        'rm to-secret',
        'mkdir d',
        'ln -s a b',
        'touch /tmp/clf-confined',
        'mv to-secret x',
      ]) {
        assert.match(await sh(`${line}; echo "code $?"`), /code [1-9]\d*\n$/, line);
      }
      assert.equal(await sh('cat "mine é.txt"; ls'), 'mine\nmine é.txt\nto-outside\nto-secret\n');
    },
    needs,
  );

  nativeTest(
    `a confined command of ${user} does not reach into processes outside`,
    async (rig) => {
      const { run, sh } = await prepare(rig, user);
      const other = await run(['sleep', '600'], { confine: undefined });
      const { pid } = await other.started();
      for (const what of [
        'environ',
        'mem',
        'root/etc/hostname',
        'cwd/mine é.txt',
        'fd/0',
        'maps',
      ]) {
        const said = await sh(`cat "/proc/${pid}/${what}"; echo "code $?"`);
        assert.match(said, /^cat: .*(denied|not permitted)\ncode 1\n$/, what);
      }
      assert.match(
        await sh(`cat /proc/${pid}/cmdline | tr '\\0' ' '`),
        /^sleep 600 $/,
        'what ps shows',
      );
      assert.match(await sh(`kill -9 ${pid}; echo "code $?"`), /not permitted\s+code 1\n$/);
      assert.ok(isAlive(pid));
      assert.equal(await sh('sleep 600 & kill $! && echo ended'), 'ended\n', 'its own it does');
    },
    { ...needs, landlock: 6 },
  );

  nativeTest(
    `a confined command of ${user} on a terminal has its own, and no other`,
    async (rig) => {
      const { run } = await prepare(rig, user);
      const pty = { cols: 80, rows: 24 };
      const other = await run(['sleep', '600'], { pty, confine: undefined });
      const { pid } = await other.started();
      const theirs = `/proc/${pid}/fd/0`;
      const line = `echo a > /dev/tty; echo b > /dev/stdout; tty; cat "$(readlink -f ${theirs})"; cat ${theirs}; for one in /dev/pts/[0-9]*; do echo $one; done`;
      const started = await run(['/bin/sh', '-c', line], { pty });
      await started.ended();
      const said = (await started.output()).toString();
      assert.match(said, /^a\r\nb\r\n\/dev\/pts\/\d+\r\n/);
      assert.match(said, /denied/);
      assert.match(said, /\/dev\/pts\/\[0-9\]\*\r\n$/, 'they cannot even be listed');
    },
    needs,
  );

  nativeTest(
    `a confined command of ${user} opens no connection`,
    async (rig) => {
      const { run } = await prepare(rig, user);
      const server = createServer((socket) => socket.destroy());
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      rig.defer(() => void server.close());
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      const line = `exec 3<>/dev/tcp/127.0.0.1/${port} && echo open`;
      const started = await run(['/bin/bash', '-c', line]);
      await started.ended();
      assert.match((await started.output()).toString(), /denied/);
    },
    { ...needs, landlock: 4 },
  );
}

nativeTest(
  'a hard link inside the tree is inside: it is another name of the file, and the file has no other place',
  async (rig) => {
    const { sh, tree, outside } = await prepare(rig, 'root');
    linkSync(join(outside, 'secret'), join(tree, 'hard'));
    assert.equal(await sh('cat hard'), 'canary\n');
  },
  { root: true, landlock: 1 },
);

nativeTest(
  'a confined command of root keeps one capability and gains none; it dies with its shim (T8)',
  async (rig) => {
    const { tree } = await prepare(rig, 'root');
    const run = rig.runDirect(rig.request(['sleep', '600'], { confine: around(tree) }));
    const { pid, shimPid } = await run.started();
    for (const name of ['CapEff', 'CapPrm']) assert.equal(statusOf(pid, name), '0000000000000004');
    for (const name of ['CapInh', 'CapAmb']) assert.equal(statusOf(pid, name), '0000000000000000');
    assert.equal(statusOf(pid, 'NoNewPrivs'), '1');
    assert.equal(statusOf(shimPid, 'NoNewPrivs'), '0');
    process.kill(shimPid, 'SIGKILL');
    await untilGone(pid);
  },
  { root: true, landlock: 1 },
);

nativeTest(
  'a grant that has to be there and is not, or has a link in it, starts nothing',
  async (rig) => {
    const { run, tree } = await prepare(rig, 'root');
    symlinkSync(tree, join(rig.dir, 'link'));
    for (const [path, errno] of [
      [join(rig.dir, 'gone'), 2],
      [join(rig.dir, 'link'), 40],
      [join(tree, 'to-outside', '.'), 40],
    ] as const) {
      const started = await run(['touch', '/proc/self/comm'], { confine: around(path) });
      const { stage, errno: seen } = await started.spawnError();
      assert.deepEqual([stage, seen], ['confine', errno], path);
      assert.equal((await started.ended()).exit.reason, 'spawn-error');
    }
  },
  { root: true, landlock: 1 },
);

for (const call of [
  'landlock_create_ruleset',
  'landlock_add_rule',
  'landlock_restrict_self',
  'capset',
]) {
  nativeTest(
    `where ${call} fails, a confined command does not start, and others do`,
    async (rig) => {
      const { tree } = await prepare(rig, 'root');
      const marker = join(rig.dir, 'ran');
      const fault = `inject=${call}:error=ENOSYS`;
      const quiet = ['-f', '--seccomp-bpf', '-o', '/dev/null', '-e', `trace=${call}`, '-e', fault];
      const wrap = ['strace', ...quiet];
      const asked = rig.request(['touch', marker], { confine: around(tree) });
      const error = await rig.runDirect(asked, { wrap }).spawnError();
      assert.deepEqual([error.stage, error.errno], ['confine', 38]);
      const free = rig.runDirect(rig.request(['true']), { wrap });
      assert.equal((await free.ended()).exit.code, 0);
    },
    { root: true, landlock: 1, programs: ['strace'] },
  );
}
