/*
 * What a shield leaves of a user's rights: root's capabilities, and files where everything is read-only, also when something is mounted later.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chownSync } from 'node:fs';
import { join } from 'node:path';
import type { ShieldStep } from '../../src/index.ts';
import { nativeTest } from './rig.ts';
import { statusOf } from './run.ts';
import { needs, prepare, refuses, shieldUsers, uid } from './shield-rig.ts';

for (const user of shieldUsers) {
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
      const lines = ['touch new', 'touch other/new', 'touch /tmp/clf-new', 'cat secret/key'];
      await refuses((line) => sh(line, change), lines);
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
  'what is mounted on the machine later comes in, but not where everything is read-only',
  async (rig) => {
    // A machine whose mounts are shared, as most are, and which is the test's own.
    const wrap = ['unshare', '-m', '--propagation', 'shared'];
    const { sh, home, steps, link } = await prepare(rig, 'root', { wrap });
    const readOnly: readonly ShieldStep[] = [
      { kind: 'read-only', path: '/' },
      { kind: 'keep', path: join(home, 'tree') },
      { kind: 'read-only', path: '/proc/sys' },
      ...steps,
    ];
    const change = { shield: { steps: readOnly, hasDomain: true } };
    // Both namespaces are there before the mounts are.
    assert.equal(await sh('echo made'), 'made\n');
    assert.equal(await sh('echo made', change), 'made\n');
    for (const place of ['/mnt', '/proc/sys/fs']) {
      const mount = ['-t', `${link.hello.pid}`, '-m', 'mount', '-t', 'tmpfs', 'none', place];
      assert.equal(spawnSync('nsenter', mount).status, 0);
    }
    assert.equal(await sh('touch /mnt/x && ls /mnt'), 'x\n');
    await refuses(
      (line) => sh(line, change),
      ['touch /mnt/y', 'touch /proc/sys/fs/y', 'ls /mnt/x'],
    );
  },
  needs,
);

nativeTest(
  'where control groups are an ordinary user’s own, it makes no cgroup namespace in a shield, with which to mount them anew',
  async (rig) => {
    const { sh, steps } = await prepare(rig, 'ordinary');
    assert.equal(await sh('unshare -UrC echo own'), 'own\n', 'elsewhere it does no harm');
    chownSync(join(rig.fence.cgroupDir ?? '', 'cgroup.procs'), uid, uid);
    // Another description, so that the namespace is made anew.
    const more: readonly ShieldStep[] = [...steps, { kind: 'hide', path: '/none' }];
    const change = { shield: { steps: more, hasDomain: true } };
    const limit = '/proc/sys/user/max_cgroup_namespaces';
    await refuses(
      (line) => sh(line, change),
      [
        'unshare -UrC true',
        `echo 9 > ${limit}`,
        `unshare -Ur sh -c 'echo 9 > ${limit}; unshare -C true'`,
        `unshare -Ur sh -c 'echo 9 > ${limit}; unshare -UrC true'`,
      ],
    );
    assert.equal(await sh('unshare -Urmnpif echo others', change), 'others\n');
  },
  { ...needs, cgroup2: true },
);

/* By the numbers of this machine, past what libraries do. */
const makeNamespace = `
import ctypes, os, threading
libc = ctypes.CDLL(None, use_errno=True)
own = os.uname().machine == "x86_64"
def tried(number, *args):
  result = libc.syscall(number, *args)
  if result == 0: os._exit(0)
  return "made" if result > 0 else os.strerror(ctypes.get_errno())
flags = 0x02000000 | 0x10000000
print(tried(56 if own else 220, flags | 17, 0, 0, 0, 0))
print(tried(272 if own else 97, flags))
arguments = (ctypes.c_uint64 * 11)(flags, 0, 0, 0, 17)
print(tried(435, arguments, ctypes.sizeof(arguments)))
thread = threading.Thread(target=lambda: print("a thread"))
thread.start(); thread.join()
os.waitpid(os.posix_spawn("/bin/echo", ["echo", "a process"], {}), 0)
`;

nativeTest(
  'root in a shield makes no cgroup namespace, by no system call; threads, processes and other namespaces it makes',
  async (rig) => {
    const { sh } = await prepare(rig, 'root');
    await refuses(sh, ['unshare -UrC true', 'unshare -Ur unshare -C true']);
    assert.equal(
      await sh(`python3 -u -c '${makeNamespace}'`),
      [
        'Operation not permitted',
        'Operation not permitted',
        'Function not implemented',
        'a thread',
        'a process',
        '',
      ].join('\n'),
    );
    assert.equal(await sh('unshare -Urmnpif echo others'), 'others\n');
    assert.equal(await sh('unshare -UrC echo own', { shield: undefined }), 'own\n', 'outside');
  },
  { ...needs, programs: ['python3'] },
);
