/*
 * Shielded commands: what is hidden, kept and pinned, as root and as an ordinary user; that nothing of it can be taken back from
 * inside; and that everything else about a run is as it is without a shield.
 */
import assert from 'node:assert/strict';
import { chmodSync, chownSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { ShieldStep, SpawndLink, SpawnRequest } from '../../src/index.ts';
import { isAlive, untilGone } from '../process-rig.ts';
import { nativeTest, type Rig, until } from './rig.ts';
import { descriptorsOf, type Run, statusOf } from './run.ts';
import { runDirOf, spawndOf } from './users.ts';

/* Belongs to nobody. */
const uid = 54_321;

interface Place {
  /* Below it: `secret`, `tree`, `run` with `socket` and `kept`, `rc`. */
  readonly home: string;
  readonly steps: readonly ShieldStep[];
  readonly link: SpawndLink;
  readonly run: (argv: SpawnRequest['argv'], change?: Partial<SpawnRequest>) => Promise<Run>;
  readonly sh: (line: string, change?: Partial<SpawnRequest>) => Promise<string>;
}

async function prepare(rig: Rig, user: 'root' | 'ordinary'): Promise<Place> {
  const id = user === 'root' ? (process.getuid?.() ?? 0) : uid;
  const link = user === 'ordinary' ? await spawndOf(rig, uid) : await rig.spawnd();
  const home = join(rig.dir, 'home é');
  for (const path of ['', 'secret', 'secret/deep', 'tree', 'run', 'run/kept', 'other']) {
    mkdirSync(join(home, path));
    chownSync(join(home, path), id, id);
  }
  for (const [path, text] of [
    ['secret/key', 'canary\n'],
    ['run/socket', 'canary\n'],
    ['run/kept/note', 'kept\n'],
    ['other/note', 'other\n'],
    ['tree/mine', 'mine\n'],
    ['rc', 'rc\n'],
  ] as const) {
    writeFileSync(join(home, path), text, { mode: 0o600 });
    chownSync(join(home, path), id, id);
  }
  chmodSync(rig.dir, 0o755);
  const at = (path: string): string => join(home, path);
  const steps: readonly ShieldStep[] = [
    { kind: 'pin', path: home },
    { kind: 'hide', path: at('secret') },
    { kind: 'hide', path: at('run') },
    { kind: 'keep', path: at('run/kept') },
    { kind: 'link', path: at('run/link'), target: 'kept' },
    { kind: 'replace', path: at('run/elsewhere'), source: at('other') },
    { kind: 'read-only', path: at('rc') },
    { kind: 'hide', path: at('never-there') },
    { kind: 'terminals', path: '/dev/pts' },
  ];
  let count = 0;
  const run: Place['run'] = (argv, change) => {
    count += 1;
    const runDir = user === 'ordinary' ? { runDir: runDirOf(rig, uid, `shield-${count}`) } : {};
    const shield = { steps, hasDomain: true };
    return rig.run(argv, { cwd: at('tree'), shield, ...runDir, ...change }, link);
  };
  const sh: Place['sh'] = async (line, change) => {
    const started = await run(['/bin/sh', '-c', `exec 2>&1; cd '${home}'; ${line}`], change);
    await started.ended();
    return (await started.output()).toString();
  };
  return { home, steps, link, run, sh };
}

const needs = { root: true, landlock: 6 };

for (const user of ['root', 'ordinary'] as const) {
  nativeTest(
    `a shielded command of ${user} finds what is kept and not what is hidden`,
    async (rig) => {
      const { sh, home, run } = await prepare(rig, user);
      assert.equal(
        await sh('ls; ls -A secret; ls run; cat run/link/note run/elsewhere/note'),
        [
          'other',
          'rc',
          'run',
          'secret',
          'tree',
          'elsewhere',
          'kept',
          'link',
          'kept',
          'other',
          '',
        ].join('\n'),
      ); // prettier-ignore
      assert.equal(await sh('cat tree/mine; echo new > tree/new; cat tree/new'), 'mine\nnew\n');
      for (const line of [
        'cat secret/key',
        `cat /proc/self/root'${home}'/secret/key`,
        'cat run/socket',
        'touch secret/new',
        'touch run/new',
        'umount secret',
        'mv secret gone',
        'mv run gone',
        'rmdir secret',
        'rm -rf secret',
        `mv '${home}' '${home}-2'`,
        'echo x >> rc',
        'rm -f rc',
        'mv rc rc2',
        'mv tree/mine rc',
        'chmod 666 rc',
      ]) {
        assert.match(await sh(`${line}; echo "code $?"`), /code [1-9]\d*\n$/, line);
        assert.doesNotMatch(await sh(line), /canary/, line);
      }
      assert.equal(await sh('cat rc'), 'rc\n');
      const outside = await run(['/bin/sh', '-c', 'cat secret/key run/socket'], {
        shield: undefined,
        cwd: home,
      });
      await outside.ended();
      assert.equal((await outside.output()).toString(), 'canary\ncanary\n', 'all is there outside');
    },
    needs,
  );

  nativeTest(
    `what hides it cannot be taken away from inside by ${user}, in no namespace of its own either`,
    async (rig) => {
      const { sh, home } = await prepare(rig, user);
      const secret = `'${home}/secret'`;
      for (const line of [
        `unshare -Urm sh -c "umount ${secret}; cat ${secret}/key"`,
        `unshare -Urm sh -c "umount -l ${secret}; cat ${secret}/key"`,
        `unshare -Urm sh -c "mount --bind ${secret} /mnt; cat /mnt/key"`,
        `unshare -Urm sh -c "mount --bind '${home}' /mnt; cat /mnt/secret/key"`,
        `unshare -Urm sh -c "mount --rbind '${home}' /mnt; umount -l /mnt/secret; cat /mnt/secret/key"`,
        `unshare -Urm sh -c "mount -o remount,rw ${secret}; touch ${secret}/x && echo canary"`,
        `unshare -Urm sh -c "mount -o remount,rw,bind '${home}/rc'; echo canary >> '${home}/rc' && cat '${home}/rc'"`,
        `unshare -Urmpf --mount-proc sh -c "cat /proc/1/root${secret}/key"`,
        `nsenter -t 1 -m cat ${secret}/key`,
        `cat /proc/1/root${secret}/key`,
        `chroot /proc/1/root cat ${secret}/key`,
      ]) {
        assert.doesNotMatch(await sh(`${line}; true`), /canary/, line);
      }
      assert.equal(
        await sh('unshare -Urm sh -c "mount -t tmpfs none /mnt && echo mounted"'),
        'mounted\n',
        'its own mounts it can make: that is how programs confine their children',
      );
    },
    needs,
  );

  nativeTest(
    `a shielded command of ${user} does not reach into processes outside`,
    async (rig) => {
      const { run, sh } = await prepare(rig, user);
      const other = await run(['sleep', '600'], { shield: undefined });
      const { pid, shimPid } = await other.started();
      const shielded = await (await run(['sleep', '600'])).started();
      for (const target of [pid, shimPid, shielded.pid, process.pid]) {
        for (const what of ['environ', 'mem', 'root/etc/hostname', 'cwd/mine', 'fd/0', 'maps']) {
          const said = await sh(`cat "/proc/${target}/${what}"; echo "code $?"`);
          assert.match(said, /^cat: .*\ncode 1\n$/, `${target} ${what}: ${said}`);
        }
        assert.match(await sh(`kill -9 ${target}; echo "code $?"`), /not permitted\s+code 1\n$/);
      }
      for (const one of [pid, shimPid, shielded.pid]) assert.ok(isAlive(one));
      assert.equal(await sh('sleep 600 & kill $! && echo ended'), 'ended\n', 'its own it does');
    },
    needs,
  );

  nativeTest(
    `abstract sockets outside are out of reach of ${user}, ports are not`,
    async (rig) => {
      const { sh } = await prepare(rig, user);
      const name = `clf-shield-${process.pid}`;
      const server = createServer((socket) => socket.end('canary\n'));
      await new Promise<void>((resolve) => server.listen(`\0${name}`, resolve));
      const tcp = createServer((socket) => socket.end('hello\n'));
      await new Promise<void>((resolve) => tcp.listen(0, '127.0.0.1', resolve));
      rig.defer(() => void server.close());
      rig.defer(() => void tcp.close());
      const address = tcp.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      const script = `import socket,sys
for family, where in ((socket.AF_UNIX, "\\0${name}"), (socket.AF_INET, ("127.0.0.1", ${port}))):
  s = socket.socket(family)
  try:
    s.connect(where); print(s.recv(99).decode().strip())
  except OSError as e: print(type(e).__name__)`;
      assert.equal(await sh(`python3 -c '${script}'`), 'PermissionError\nhello\n');
    },
    { ...needs, programs: ['python3'] },
  );

  nativeTest(
    `a shielded command of ${user} on a terminal has its own, and sees no other`,
    async (rig) => {
      const { run } = await prepare(rig, user);
      const pty = { cols: 80, rows: 24 };
      const other = await run(['sleep', '600'], { pty, shield: undefined });
      await other.started();
      const line =
        'echo a > /dev/tty; echo b > "$(tty)"; tty; ls /dev/pts; stty size; script -qc "echo in script" /dev/null';
      const started = await run(['/bin/sh', '-c', line], { pty });
      await started.ended();
      assert.equal(
        (await started.output()).toString(),
        ['a', 'b', '/dev/pts/0', '0  ptmx', '24 80', 'in script', ''].join('\r\n'),
      );
    },
    { ...needs, programs: ['script'] },
  );

  nativeTest(
    `a shielded command of ${user} is held and ended as any other, and pids are the machine's`,
    async (rig) => {
      const { run, link } = await prepare(rig, user);
      const started = await run([
        '/bin/sh',
        '-c',
        'setsid sleep 601 & sleep 602 & echo $$ $!; wait',
      ]);
      const { pid } = await started.started();
      const [own, child] = (await started.untilOutput((bytes) => bytes.includes('\n')))
        .toString()
        .trim()
        .split(' ')
        .map(Number);
      assert.equal(own, pid);
      assert.ok(child !== undefined && isAlive(child));
      const control = await rig.control(started);
      const { epoch } = control.hello;
      const ask = { type: 'terminate', epoch, reason: 'manual-cancel', graceMs: 0 } as const;
      await control.request({ ...ask, actor: 'test' });
      assert.equal((await started.ended()).exit.reason, 'manual-cancel');
      await untilGone(child);
      // T8: the tree of a killed shim goes with it.
      const killed = await run(['/bin/sh', '-c', 'sleep 603 & echo $!; wait']);
      const { shimPid } = await killed.started();
      const orphan = Number((await killed.untilOutput((bytes) => bytes.includes('\n'))).toString());
      process.kill(shimPid, 'SIGKILL');
      await untilGone(orphan);
      assert.ok(!link.isLost);
    },
    needs,
  );

  nativeTest(
    `with everything read-only for ${user}, what is kept is as it was, and later steps hold`,
    async (rig) => {
      const { sh, home, steps } = await prepare(rig, user);
      const all: readonly ShieldStep[] = [
        { kind: 'read-only', path: '/' },
        { kind: 'keep', path: join(home, 'tree') },
        ...steps,
        { kind: 'hide', path: '/usr/share' },
      ];
      const change = { shield: { steps: all, hasDomain: true } };
      assert.equal(await sh('echo x > tree/x && cat tree/x', change), 'x\n');
      assert.equal(await sh('ls -A /usr/share secret', change), '/usr/share:\n\nsecret:\n');
      for (const line of ['touch new', 'touch other/new', 'touch /tmp/clf-new', 'cat secret/key']) {
        assert.match(await sh(`${line}; echo "code $?"`, change), /code [1-9]\d*\n$/, line);
      }
    },
    needs,
  );
}

nativeTest(
  'root in a shield keeps what it needs for files, and no more; nothing is gained',
  async (rig) => {
    const { run } = await prepare(rig, 'root');
    const { pid } = await (await run(['sleep', '600'])).started();
    for (const name of ['CapEff', 'CapPrm']) assert.equal(statusOf(pid, name), '00000000800004fb');
    assert.equal(statusOf(pid, 'NoNewPrivs'), '1');
  },
  needs,
);

nativeTest(
  'an ordinary user in a shield has no capability, and is itself',
  async (rig) => {
    const { run, sh } = await prepare(rig, 'ordinary');
    const { pid } = await (await run(['sleep', '600'])).started();
    for (const name of ['CapEff', 'CapPrm']) assert.equal(statusOf(pid, name), '0000000000000000');
    assert.equal(await sh('id -u; id -g; stat -c %u tree'), `${uid}\n${uid}\n${uid}\n`);
  },
  needs,
);

nativeTest(
  'another working directory than one that is there starts nothing, and a shim without spawnd makes its own shield',
  async (rig) => {
    const { steps, home } = await prepare(rig, 'root');
    const shield = { steps, hasDomain: true };
    const asked = rig.request(['cat', `${home}/secret/key`], { shield });
    const alone = rig.runDirect(asked);
    assert.equal((await alone.ended()).exit.code, 1);
    const inside = rig.runDirect(rig.request(['true'], { shield, cwd: `${home}/secret/deep` }));
    assert.deepEqual(errorOf(await inside.spawnError()), ['cwd', 2]);
  },
  needs,
);

nativeTest(
  'a link is hidden or pinned itself, and leads where it did',
  async (rig) => {
    const { sh, home } = await prepare(rig, 'ordinary');
    for (const [name, target] of [
      ['to-file', 'tree/mine'],
      ['to-directory', 'tree'],
      ['hidden', 'tree'],
    ] as const) {
      symlinkSync(target, join(home, name));
    }
    const steps: readonly ShieldStep[] = [
      { kind: 'pin', path: join(home, 'to-file') },
      { kind: 'read-only', path: join(home, 'to-directory') },
      { kind: 'hide', path: join(home, 'hidden') },
    ];
    const change = { shield: { steps, hasDomain: true } };
    assert.equal(await sh('cat to-file to-directory/mine', change), 'mine\nmine\n');
    for (const line of [
      'ln -sfn rc to-file',
      'rm to-file',
      'mv to-directory x',
      'ln -sfn run to-directory',
      'cat hidden',
      'cat hidden/mine',
      'rm hidden',
    ]) {
      assert.match(await sh(`${line}; echo "code $?"`, change), /code [1-9]\d*\n$/, line);
    }
  },
  needs,
);

nativeTest(
  'a step that cannot be taken starts nothing: a link in a path, a source that is gone',
  async (rig) => {
    const { run, home } = await prepare(rig, 'root');
    symlinkSync(`${home}/secret`, join(rig.dir, 'link'));
    for (const [step, errno] of [
      [{ kind: 'hide', path: join(rig.dir, 'link/deep') }, 40],
      [{ kind: 'replace', path: '/mnt', source: join(rig.dir, 'gone') }, 2],
    ] as const) {
      const started = await run(['true'], { shield: { steps: [step], hasDomain: true } });
      assert.deepEqual(errorOf(await started.spawnError()), ['shield', errno]);
      assert.equal((await started.ended()).exit.reason, 'spawn-error');
    }
  },
  needs,
);

nativeTest(
  'spawnd keeps a namespace for each description, not for each run, and lets go of old ones',
  async (rig) => {
    const { run, steps, link } = await prepare(rig, 'root');
    const namespaceOf = async (more: readonly ShieldStep[]): Promise<string> => {
      const shield = { steps: [...steps, ...more], hasDomain: true };
      const started = await run(['readlink', '/proc/self/ns/mnt'], { shield });
      await started.ended();
      return (await started.output()).toString();
    };
    const first = await namespaceOf([]);
    assert.equal(await namespaceOf([]), first);
    assert.notEqual(await namespaceOf([{ kind: 'hide', path: '/none' }]), first);
    for (let i = 0; i < 40; i++) await namespaceOf([{ kind: 'hide', path: `/none-${i}` }]);
    await until('old namespaces are closed', () => openNamespaces(link.hello.pid) <= 16);
  },
  { ...needs, variants: ['test'] },
);

for (const call of ['unshare', 'setns', 'move_mount', 'open_tree', 'mount_setattr', 'fsmount']) {
  nativeTest(
    `where ${call} fails, a shielded command does not start, and others do`,
    async (rig) => {
      const { steps } = await prepare(rig, 'root');
      const marker = join(rig.dir, 'ran');
      const fault = `inject=${call}:error=ENOSYS`;
      const quiet = ['-f', '--seccomp-bpf', '-o', '/dev/null', '-e', `trace=${call}`, '-e', fault];
      const wrap = ['strace', ...quiet];
      const asked = rig.request(['touch', marker], { shield: { steps, hasDomain: true } });
      const error = await rig.runDirect(asked, { wrap }).spawnError();
      assert.deepEqual(errorOf(error), ['shield', 38]);
      const free = rig.runDirect(rig.request(['true']), { wrap });
      assert.equal((await free.ended()).exit.code, 0);
    },
    { ...needs, programs: ['strace'] },
  );
}

function errorOf({ stage, errno }: { readonly stage: string; readonly errno: number }) {
  return [stage, errno];
}

function openNamespaces(pid: number): number {
  return [...descriptorsOf(pid).values()].filter((target) => target.startsWith('mnt:')).length;
}
