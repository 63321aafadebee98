/*
 * The log is folded back beside the loop: it stays bounded under load, and the
 * loop does not feel the fsyncs.
 */
import assert from 'node:assert/strict';
import { stat } from 'node:fs/promises';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { test } from 'node:test';
import { newRunOf } from '../records.ts';
import { finishRun, openRig, startRun } from './registry-rig.ts';

test('many thousand commits leave a bounded log and a responsive loop', async (t) => {
  const { registry, stateDir, openOwner } = await openRig(t);
  const owner = await openOwner();
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  let largest = 0;
  for (let round = 0; round < 400; round += 1) {
    await Promise.all(
      Array.from({ length: 32 }, async (_, index) => {
        const runId = await startRun(registry, owner, newRunOf(`r${round}-${index}`));
        await finishRun(registry, runId);
      }),
    );
    if (round % 20 === 0) {
      largest = Math.max(largest, (await stat(`${stateDir.registryFile}-wal`)).size);
    }
  }
  delay.disable();
  const mebibyte = 1024 * 1024;
  assert.ok(largest < 96 * mebibyte, `the log grew to ${Math.round(largest / mebibyte)} MiB`);
  const stallMs = delay.percentile(99.9) / 1e6;
  assert.ok(stallMs < 100, `the loop stood still for ${stallMs} ms`);
  assert.equal(registry.finished().length, 12_800);
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
