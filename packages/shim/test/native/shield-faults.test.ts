/*
 * Shields that cannot be made: nothing starts without what was asked for, and the job `confinement` says what cannot be had here.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { ShieldStep } from '../../src/index.ts';
import { injecting, nativeTest, until } from './rig.ts';
import { descriptorsOf } from './run.ts';
import { errorOf, needs, prepare, uid } from './shield-rig.ts';

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
      const wrap = injecting(`${call}:error=ENOSYS`);
      const asked = rig.request(['touch', marker], { shield: { steps, hasDomain: true } });
      const error = await rig.runDirect(asked, { wrap }).spawnError();
      assert.deepEqual(errorOf(error), ['shield', 38]);
      const free = rig.runDirect(rig.request(['true']), { wrap });
      assert.equal((await free.ended()).exit.code, 0);
    },
    { ...needs, programs: ['strace'] },
  );
}

/* As for an ordinary user on Ubuntu: a user namespace can be made, and then nothing can be done in it. */
const refusals: readonly (readonly [fault: string, message: string])[] = [
  ['mount:error=EACCES', 'Permission denied'],
  ['open_tree:error=EPERM', 'Operation not permitted'],
  ['fsopen:error=EPERM', 'Operation not permitted'],
  ['move_mount:error=EPERM', 'Operation not permitted'],
  ['mount_setattr:error=EPERM', 'Operation not permitted'],
  ['setns:error=EPERM', 'Operation not permitted'],
  ['unshare:error=ENOSPC', 'No space left on device'],
  // The second one of a process is the map of user ids.
  ['write:error=EPERM:when=2', 'Operation not permitted'],
];

nativeTest(
  'where a user namespace can be made and nothing be done in it, no namespaces are promised',
  async (rig) => {
    const asUser = ['setpriv', `--reuid=${uid}`, `--regid=${uid}`, '--clear-groups'];
    const told = (before: readonly string[]): Record<string, unknown> => {
      const [program, ...args] = [...before, ...asUser, rig.binaryPath, 'confinement'];
      return JSON.parse(spawnSync(program, args, { encoding: 'utf8' }).stdout);
    };
    assert.equal(told([])['namespace'], true);
    for (const [fault, message] of refusals) {
      const { namespace, namespaceMessage, landlock } = told(injecting(fault));
      assert.deepEqual([namespace, namespaceMessage], [false, message], fault);
      assert.ok(Number(landlock) >= 6, 'the domain can be had all the same');
    }
  },
  { ...needs, programs: ['strace', 'setpriv'], variants: ['test'] },
);

function openNamespaces(pid: number): number {
  return [...descriptorsOf(pid).values()].filter((target) => target.startsWith('mnt:')).length;
}
