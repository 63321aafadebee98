/*
 * The state directory is ours alone, real, and on a local disk, or it is refused
 * (O6).
 */
import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { chmod, chown, lstat, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getuid } from 'node:process';
import { test } from 'node:test';
import { fileSystemKindOf, mountNameOf } from '../../src/registry/file-system-kind.ts';
import { openStateDir } from '../../src/registry/state-dir.ts';
import { tempDir } from './registry-rig.ts';

const modeOf = async (path: string): Promise<number> => (await lstat(path)).mode & 0o777;

test('it is made with its parents, closed to everybody else', async (t) => {
  const path = join(await tempDir(t), 'a', 'b', 'state');
  const stateDir = await openStateDir(path);
  for (const dir of [path, stateDir.runsDir, stateDir.trashDir]) {
    assert.equal(await modeOf(dir), 0o700);
  }
  assert.deepEqual(await openStateDir(path), stateDir, 'opening it again changes nothing');
});

test('one of ours that is open to others is closed', async (t) => {
  const path = join(await tempDir(t), 'state');
  await mkdir(path, { mode: 0o755 });
  await chmod(path, 0o777);
  await openStateDir(path);
  assert.equal(await modeOf(path), 0o700);
});

test('a symbolic link is refused, also a planted one for runs', async (t) => {
  const dir = await tempDir(t);
  await mkdir(join(dir, 'elsewhere'));
  await symlink(join(dir, 'elsewhere'), join(dir, 'state'));
  await assert.rejects(openStateDir(join(dir, 'state')), { code: 'state-dir-unsafe' });

  await mkdir(join(dir, 'real'), { mode: 0o700 });
  await symlink(join(dir, 'elsewhere'), join(dir, 'real', 'runs'));
  await assert.rejects(openStateDir(join(dir, 'real')), { code: 'state-dir-unsafe' });
});

test('a file, a relative path and somebody else’s directory are refused', async (t) => {
  const dir = await tempDir(t);
  await writeFile(join(dir, 'file'), '');
  await assert.rejects(openStateDir(join(dir, 'file')), { code: 'state-dir-unsafe' });
  await assert.rejects(openStateDir('state'), { code: 'state-dir-unsafe' });
  if (getuid?.() !== 0) return;
  await mkdir(join(dir, 'theirs'), { mode: 0o700 });
  await chown(join(dir, 'theirs'), 65_534, 65_534);
  await assert.rejects(openStateDir(join(dir, 'theirs')), {
    code: 'state-dir-unsafe',
    message: /belongs to user 65534/,
    hint: /chown -h 0 /,
  });
});

test('O6: network file systems are refused by name, memory is warned about', async (t) => {
  const path = join(await tempDir(t), 'state');
  const on = (type: number) => openStateDir(path, { fileSystemType: () => Promise.resolve(type) });
  await assert.rejects(on(0x6969), { code: 'state-on-network-fs', message: /nfs/ });
  await assert.rejects(on(0xff534d42 | 0), { code: 'state-on-network-fs', message: /cifs/ });
  assert.match((await on(0x01021994)).warnings.join(), /tmpfs/);
  assert.deepEqual((await on(0xef53)).warnings, []);
});

test('O6: FUSE is judged by the name of its mount', async (t) => {
  const path = join(await tempDir(t), 'state');
  const { dev } = await openStateDir(path);
  const major = (dev >>> 8) & 0xfff;
  const minor = (dev & 0xff) | ((dev >>> 12) & 0xfff00);
  const on = (name: string) =>
    openStateDir(path, {
      fileSystemType: () => Promise.resolve(0x65735546),
      mountinfo: () =>
        [
          '22 1 0:1 / /other rw - ext4 /dev/x rw',
          `36 35 ${major}:${minor} / / rw,a b - ${name} src rw`,
        ].join('\n'),
    });
  await assert.rejects(on('fuse.sshfs'), { code: 'state-on-network-fs', message: /sshfs/ });
  assert.match((await on('fuse.fuse-overlayfs')).warnings.join(), /fuse-overlayfs/);
});

test('file system numbers are read as the kernel means them', () => {
  const unused = (): never => assert.fail('only FUSE is asked for its name');
  assert.deepEqual(fileSystemKindOf(-11_317_950, unused), { kind: 'network', name: 'cifs' });
  assert.deepEqual(fileSystemKindOf(0xef53, unused), { kind: 'local' });
  assert.deepEqual(fileSystemKindOf(0x858458f6, unused), { kind: 'memory', name: 'ramfs' });
  const unnamed = fileSystemKindOf(0x65735546, () => undefined);
  assert.deepEqual(unnamed, { kind: 'fuse', name: 'fuse' });
});

test('a mount is found by its device number', () => {
  const mountinfo = readFileSync('/proc/self/mountinfo', 'utf8');
  assert.equal(mountNameOf(mountinfo, statSync('/proc').dev), 'proc');
  assert.equal(mountNameOf('', 1), undefined);
});
