/*
 * The log is folded back beside the loop, by a thread of its own: the connection
 * that writes never does it, and nobody waits for it but `close`.
 */
import assert from 'node:assert/strict';
import { stat } from 'node:fs/promises';
import { test } from 'node:test';
import { newRunOf } from '../records.ts';
import { finishRun, openRig, startRun } from './registry-rig.ts';

test('after many commits the file holds what the log held, while writes go on', async (t) => {
  const { registry, stateDir, openOwner } = await openRig(t);
  const owner = await openOwner();
  const fileBytes = async () => (await stat(stateDir.registryFile)).size;
  const mebibyte = 1024 * 1024;
  // Nothing but a checkpoint makes the file grow; without one this would not end.
  let runs = 0;
  while ((await fileBytes()) < 2 * mebibyte) {
    await Promise.all(
      Array.from({ length: 32 }, async () => {
        const runId = await startRun(registry, owner, newRunOf(`r${(runs += 1)}`));
        await finishRun(registry, runId);
      }),
    );
  }
  assert.equal(registry.finished().length, runs);
  assert.equal(await registry.write((to) => to.get('r1')?.state), 'exited');
});

test('closing while the log is being folded back waits for it', async (t) => {
  const { registry, openOwner, openAnother } = await openRig(t);
  const owner = await openOwner();
  const starts = Array.from({ length: 9_000 }, (_, index) =>
    registry.write((to) => to.insertStarting(newRunOf(`r${index}`), owner)),
  );
  await Promise.all(starts);
  await registry.close();
  assert.equal((await openAnother()).open().length, 9_000);
});
