/*
 * A directory in the trash is the note that its run was removed; only that very directory is.
 */
import assert from 'node:assert/strict';
import { mkdir, readdir, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { silentLog } from '@clawdfather/kit';
import { finishRemovals } from '../../src/retention/finish-removals.ts';
import { bootA, newRunOf, processOf } from '../records.ts';
import { openRig, startRun } from '../registry/registry-rig.ts';

test('a row whose own directory is in the trash goes, live or not; a namesake’s stays', async (t) => {
  const { registry, stateDir, openOwner } = await openRig(t);
  const owner = await openOwner();
  const context = { registry, stateDir, log: silentLog, host: { bootId: bootA } };
  for (const id of ['gone', 'again']) {
    const runId = await startRun(registry, owner, newRunOf(id));
    const runDir = join(stateDir.runsDir, id);
    await mkdir(runDir);
    const { dev, ino } = await stat(runDir);
    const started = processOf({ runDirDev: dev, runDirIno: ino });
    await registry.write((tx) => tx.markRunning({ runId, epoch: 1 }, started, 1));
  }
  await rename(join(stateDir.runsDir, 'gone'), join(stateDir.trashDir, 'gone.abc'));
  // An earlier run of the same id, and something that is none of ours.
  await mkdir(join(stateDir.trashDir, 'again.def'));
  await writeFile(join(stateDir.trashDir, 'stranger'), '');
  assert.equal(await finishRemovals(context), 1);
  assert.deepEqual([registry.get('gone'), registry.get('again')?.state], [undefined, 'running']);
  assert.deepEqual((await readdir(stateDir.trashDir)).toSorted(), ['again.def', 'stranger']);
  assert.equal(await finishRemovals(context), 0);
});
