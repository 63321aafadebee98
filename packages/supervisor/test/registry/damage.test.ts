/*
 * What a damaged, full or unreadable registry says, and how a rebuild begins:
 * the bad file is set aside and epochs go up (O3).
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, open, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getuid } from 'node:process';
import { test } from 'node:test';
import { replaceRegistry } from '../../src/registry/replace-registry.ts';
import { exitOf, newRunOf, recordOf, runIdOf } from '../records.ts';
import { openHere } from '../fixtures/registry/open-registry.ts';
import { openRig, startRun, tempDir } from './registry-rig.ts';

test('a file that is no database is named as damaged, with the way out', async (t) => {
  const { stateDir, registry, openAnother } = await openRig(t);
  await registry.close();
  await writeFile(stateDir.registryFile, 'x'.repeat(10_000));
  await assert.rejects(openAnother(), {
    code: 'registry-corrupt',
    hint: /clawdfather doctor --rebuild/,
  });
  assert.equal((await stat(stateDir.registryFile)).size, 10_000, 'it is left as it was');
});

test('pages overwritten with rubbish are reported when they are met', async (t) => {
  const { stateDir, registry, openOwner, openAnother } = await openRig(t);
  const owner = await openOwner();
  for (let count = 0; count < 200; count += 1) {
    await startRun(registry, owner, newRunOf(`r${count}`));
  }
  await registry.close();
  const file = await open(stateDir.registryFile, 'r+');
  const { size } = await file.stat();
  await file.write(Buffer.alloc(size - 4_096, 0xff), 0, size - 4_096, 4_096);
  await file.close();
  const read = async () => (await openAnother()).list();
  await assert.rejects(read(), { code: 'registry-corrupt' });
});

test('the damaged file is moved aside, all of it, and a new one takes its place', async (t) => {
  const { stateDir, registry, openAnother } = await openRig(t);
  await registry.close();
  await writeFile(stateDir.registryFile, 'rubbish');
  await writeFile(`${stateDir.registryFile}-wal`, 'rubbish');
  const draft = { registryFile: `${stateDir.registryFile}.rebuilding` };
  await writeFile(draft.registryFile, '');
  const aside = await replaceRegistry(stateDir, draft, 123);
  assert.equal(aside, `${stateDir.registryFile}.damaged-123`);
  const fresh = await openAnother();
  assert.equal(fresh.instanceId, registry.instanceId, 'the directory is who it was');
  assert.deepEqual(fresh.list(), []);
  const names = await readdir(stateDir.path);
  assert.ok(names.includes('registry.db.damaged-123-wal'));
  const empty = { registryFile: join(await tempDir(t), 'registry.db') };
  await writeFile(draft.registryFile, '');
  assert.equal(await replaceRegistry(empty, draft, 1), undefined);
});

test('where the new registry cannot take the name the old one keeps it', async (t) => {
  const { stateDir, registry } = await openRig(t);
  await registry.close();
  const before = await readdir(stateDir.path);
  const draft = { registryFile: join(stateDir.path, 'nothing') };
  await assert.rejects(replaceRegistry(stateDir, draft, 123), { code: 'ENOENT' });
  assert.deepEqual(await readdir(stateDir.path), before);
  // Its log could not be folded in: a part of it would be missing.
  await writeFile(draft.registryFile, '');
  await writeFile(`${draft.registryFile}-wal`, 'x');
  await assert.rejects(replaceRegistry(stateDir, draft, 123), { code: 'registry-full' });
});

test('O3: a recovered run gets max(registry, shim) + 1, and old owners are fenced off', async (t) => {
  const { registry, openOwner } = await openRig(t);
  const owner = await openOwner();
  const labels = { who: 'x' };
  const record = recordOf({ labels, epoch: 3, scopeKey: 'k', ownerInstanceId: 'old' });
  const recover = (shimEpoch: number) =>
    registry.write((to) => to.insertRecovered({ record, shimEpoch, inputOffset: 55 }, owner));

  assert.equal(await recover(7), 8);
  const found = registry.get(record.runId);
  assert.ok(found);
  assert.deepEqual(
    { ...found, updatedAtMs: 0, leaseExpiresAtMs: 0 },
    {
      ...record,
      epoch: 8,
      ownerInstanceId: registry.instanceId,
      ownerGeneration: owner.generation,
      updatedAtMs: 0,
      leaseExpiresAtMs: 0,
    },
  );
  assert.equal(registry.inputOffset(record.runId), 55);
  assert.equal(await recover(2), 9, 'the registry may know better than the shim');
  assert.equal(registry.list({ labels }).length, 1);
  await assert.rejects(
    registry.write((to) => to.markExiting({ runId: record.runId, epoch: 8 })),
    { code: 'epoch-stale' },
  );
});

test('a finished run is recovered as finished', async (t) => {
  const { registry, openOwner } = await openRig(t);
  const owner = await openOwner();
  const exit = exitOf({ runId: runIdOf('run1'), reason: 'overall-timeout' });
  const record = recordOf({ state: 'exited', exit, treeEndedAtMs: 2_000, journalBytes: 9 });
  await registry.write((to) => to.insertRecovered({ record, shimEpoch: 1, inputOffset: 0 }, owner));
  assert.deepEqual(registry.get('run1')?.exit, exit);
  assert.deepEqual(registry.open(), []);
  assert.equal(registry.list({ states: ['exited'] }).length, 1);
});

test('a disk that is really full says registry-full, and goes on when there is space', async (t) => {
  if (getuid?.() !== 0) return t.skip('mounting needs root');
  const mount = join(await tempDir(t), 'small');
  await mkdir(mount);
  execFileSync('/bin/mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', mount]);
  try {
    await fillAndGoOn(mount);
  } finally {
    // Hooks run in the order they were set up, and the directory's own came first.
    execFileSync('/bin/umount', ['-l', mount]);
  }
  return undefined;
});

async function fillAndGoOn(mount: string): Promise<void> {
  const { registry, owner } = await openHere(join(mount, 'state'));
  const filler = await open(join(mount, 'filler'), 'w');
  for (let size = 65_536; size >= 1_024; ) {
    const isWritten = await filler.write(Buffer.alloc(size)).then(
      () => true,
      () => false,
    );
    if (!isWritten) size /= 2;
  }
  const insert = (id: string) => registry.write((to) => to.insertStarting(newRunOf(id), owner));
  let failure: unknown;
  for (let count = 0; count < 200 && failure === undefined; count += 1) {
    await insert(`r${count}`).catch((error: unknown) => {
      failure = error;
    });
  }
  assert.equal((failure as { code?: string } | undefined)?.code, 'registry-full');
  const known = registry.list().length;
  await filler.truncate(0);
  await filler.close();
  await insert('after');
  assert.equal(registry.list().length, known + 1);
  await registry.close();
}
