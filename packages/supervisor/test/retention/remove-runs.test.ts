/*
 * Removing runs: gone at once from sight, unlinked later in small steps, safe
 * against a crash in between.
 */
import assert from 'node:assert/strict';
import { mkdir, readdir, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { createFakeClock, createSeededRandom } from '@clawdfather/testkit';
import { createSystemClock } from '@clawdfather/kit';
import { trashEntriesPerStep, trashPauseMs } from '../../src/limits.ts';
import { emptyTrash, removeRun } from '../../src/retention/remove-runs.ts';
import type { StateDir } from '../../src/registry/state-dir.ts';
import { newRunOf } from '../records.ts';
import { finishRun, openRig, startRun } from '../registry/registry-rig.ts';

const random = createSeededRandom(9);

async function makeRunDir({ runsDir }: StateDir, id: string, files = 2): Promise<void> {
  await mkdir(join(runsDir, id));
  for (let count = 0; count < files; count += 1) {
    await writeFile(join(runsDir, id, `j-${count}`), 'x');
  }
}

function emptyAll({ trashDir }: StateDir, isRecorded = false): Promise<number> {
  const clock = createSystemClock();
  return emptyTrash({ trashDir, clock, isRecorded: () => isRecorded, signal: undefined });
}

test('a finished run vanishes from the registry and from the runs, then from the trash', async (t) => {
  const { registry, stateDir, openOwner } = await openRig(t);
  const runId = await startRun(registry, await openOwner(), newRunOf('r1'));
  await finishRun(registry, runId);
  await makeRunDir(stateDir, 'r1');
  const deps = { registry, stateDir, random };
  assert.equal(await removeRun(deps, { runId, epoch: 1 }), 'removed');
  assert.equal(registry.get(runId), undefined);
  assert.deepEqual(await readdir(stateDir.runsDir), []);
  assert.equal((await readdir(stateDir.trashDir)).length, 1);
  assert.equal(await emptyAll(stateDir, true), 2);
  assert.equal((await readdir(stateDir.trashDir)).length, 1, 'the note that it was removed stays');
  assert.equal(await emptyAll(stateDir), 1);
  assert.deepEqual(await readdir(stateDir.trashDir), []);
});

test('a run that is not what the plan took it for is left alone', async (t) => {
  const { registry, stateDir, openOwner } = await openRig(t);
  const runId = await startRun(registry, await openOwner(), newRunOf('r1'));
  await makeRunDir(stateDir, 'r1');
  const deps = { registry, stateDir, random };
  assert.equal(await removeRun(deps, { runId, epoch: 1 }), 'open');
  await finishRun(registry, runId);
  assert.equal(await removeRun(deps, { runId, epoch: 2 }), 'open');
  assert.deepEqual(await readdir(stateDir.runsDir), ['r1']);
  assert.ok(registry.get(runId));
});

test('a crash after the rename is finished by the next gc, and an id may come again', async (t) => {
  const { registry, stateDir, openOwner } = await openRig(t);
  const owner = await openOwner();
  const runId = await startRun(registry, owner, newRunOf('r1'));
  await finishRun(registry, runId);
  await makeRunDir(stateDir, 'r1');
  await rename(join(stateDir.runsDir, 'r1'), join(stateDir.trashDir, 'r1.old'));
  const deps = { registry, stateDir, random };
  assert.equal(await removeRun(deps, { runId, epoch: 1 }), 'removed');
  await startRun(registry, owner, newRunOf('r1'));
  await finishRun(registry, runId);
  await makeRunDir(stateDir, 'r1');
  assert.equal(await removeRun(deps, { runId, epoch: 1 }), 'removed');
  assert.equal((await readdir(stateDir.trashDir)).length, 2);
});

test('the trash is emptied in small steps, and stops when told to', async (t) => {
  const { stateDir } = await openRig(t);
  await makeRunDir(stateDir, 'r1', 3 * trashEntriesPerStep);
  await rename(join(stateDir.runsDir, 'r1'), join(stateDir.trashDir, 'r1'));
  const clock = createFakeClock();
  const controller = new AbortController();
  const emptying = emptyTrash({
    trashDir: stateDir.trashDir,
    clock,
    isRecorded: () => false,
    signal: controller.signal,
  });
  while (clock.pendingTimers === 0) await new Promise((resolve) => setImmediate(resolve));
  const left = await readdir(join(stateDir.trashDir, 'r1'));
  assert.equal(left.length, 2 * trashEntriesPerStep);
  controller.abort();
  await clock.advance(trashPauseMs);
  assert.equal(await emptying, trashEntriesPerStep);
  assert.ok((await emptyAll(stateDir)) > 0);
  assert.deepEqual(await readdir(stateDir.trashDir), []);
});

test('strangers in the trash go too, and links are not followed', async (t) => {
  const { stateDir } = await openRig(t);
  await makeRunDir(stateDir, 'precious');
  await mkdir(join(stateDir.trashDir, 'odd', 'nested', 'deep'), { recursive: true });
  await writeFile(join(stateDir.trashDir, 'file'), '');
  await symlink(join(stateDir.runsDir, 'precious'), join(stateDir.trashDir, 'link'));
  await symlink(join(stateDir.runsDir, 'precious'), join(stateDir.trashDir, 'odd', 'link'));
  await emptyAll(stateDir);
  assert.deepEqual(await readdir(stateDir.trashDir), []);
  assert.equal((await readdir(join(stateDir.runsDir, 'precious'))).length, 2);
});
