/*
 * The log is bounded by bytes: large values are counted as what they are, and a log that had to grow is cut.
 */
import assert from 'node:assert/strict';
import { existsSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { logBytesKept, logBytesPerCheck } from '../../src/limits.ts';
import type { Registry } from '../../src/registry/registry.ts';
import { newRunOf } from '../records.ts';
import { openRig, startRun } from './registry-rig.ts';

const mebibyte = 1024 * 1024;
/* A few rows each: by the number of changes alone nothing would be looked at. */
const valueBytes = 4 * mebibyte;

async function writeLarge(registry: Registry, runId: string, bytes: number): Promise<void> {
  const key = { runId: newRunOf(runId).runId, epoch: 1 };
  for (let written = 0; written < bytes; written += valueBytes) {
    const at = registry.inputOffset(runId);
    await registry.write((tx) => tx.appendInput(key, new Uint8Array(valueBytes)));
    await registry.write((tx) => tx.trimInput(key, at + valueBytes));
  }
}

test('large values do not make the log grow beyond a few times its bound', async (t) => {
  const { registry, stateDir, openOwner } = await openRig(t);
  await startRun(registry, await openOwner(), newRunOf('r'));
  let most = 0;
  for (let written = 0; written < 800 * mebibyte; written += 8 * mebibyte) {
    await writeLarge(registry, 'r', 8 * mebibyte);
    most = Math.max(most, statSync(`${stateDir.registryFile}-wal`).size);
  }
  t.diagnostic(`the log had at most ${Math.round(most / mebibyte)} MiB of 800 written`);
  assert.ok(most <= 2 * (logBytesKept + logBytesPerCheck), `${most}`);
});

test('a reader that stays makes it grow; when it has gone the log is cut', async (t) => {
  const { registry, stateDir, openOwner } = await openRig(t);
  const log = `${stateDir.registryFile}-wal`;
  await startRun(registry, await openOwner(), newRunOf('r'));
  const reader = new DatabaseSync(stateDir.registryFile, { readOnly: true });
  reader.exec('BEGIN; SELECT count(*) FROM runs');
  await writeLarge(registry, 'r', 200 * mebibyte);
  const grown = statSync(log).size;
  assert.ok(grown > 150 * mebibyte, `${grown}`);
  reader.exec('COMMIT');
  reader.close();
  t.diagnostic(`under a reader the log had ${Math.round(grown / mebibyte)} MiB of 200 written`);
  // Folding in goes on beside the writes: they are many enough for several times of it.
  await writeLarge(registry, 'r', 200 * mebibyte);
  const cut = statSync(log).size;
  t.diagnostic(`and ${Math.round(cut / mebibyte)} MiB afterwards`);
  assert.ok(cut <= 2 * (logBytesKept + logBytesPerCheck), `${cut}`);
  assert.ok(cut < grown);
});

test('a long log of a process that was killed is folded in by the next one', async (t) => {
  const { registry, stateDir, openAnother, openOwner } = await openRig(t);
  await startRun(registry, await openOwner(), newRunOf('r'));
  const reader = new DatabaseSync(stateDir.registryFile, { readOnly: true });
  reader.exec('BEGIN; SELECT count(*) FROM runs');
  await writeLarge(registry, 'r', 100 * mebibyte);
  reader.close();
  // As long as the first one is open, the log is not removed; it writes nothing any more.
  const another = await openAnother();
  await another.close();
  const third = await openAnother();
  await third.write((tx) => tx.get('r'));
  await third.write((tx) => tx.insertAllowRule(rule));
  const log = `${stateDir.registryFile}-wal`;
  assert.ok(!existsSync(log) || statSync(log).size <= logBytesKept, `${statSync(log).size}`);
});

const rule = {
  ruleId: 'rule-1',
  account: 'local',
  namedPath: '/usr/bin/make',
  realPath: '/usr/bin/make',
  approvalId: 'a',
  addedBy: 'cli:ann',
  addedAtMs: 1,
};
