/*
 * The kept list of threads has those that were opened since it was read, and is as old as it was.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Snapshot } from '../../src/storage/device-storage.ts';
import { keepInThreads, threadsKey } from '../../src/thread/threads/keep-in-threads.ts';
import { createPageStorage } from '../storage/page-storage.ts';

type Thread = Parameters<typeof keepInThreads>[1];

function threadOf(id: string, status = 'ready'): Thread {
  return { id, status } as Thread;
}

async function keptWith(first?: Snapshot<unknown>) {
  const storage = createPageStorage();
  if (first !== undefined) await storage.writer().snapshot(threadsKey, first.value, first.atMs);
  return { storage, kept: () => storage.snapshots.read(threadsKey) };
}

test('a thread that is not in the kept list comes first in it, once', async () => {
  const list = { threads: [threadOf('a')], total: 1, queued: [] };
  const device = await keptWith({ value: list, atMs: 7 });
  for (const id of ['b', 'b', 'a']) await keepInThreads(device.storage, threadOf(id));
  const threads = [threadOf('b'), threadOf('a')];
  assert.deepEqual(await device.kept(), { value: { ...list, threads, total: 2 }, atMs: 7 });
});

test('a thread that was read before it had a name has it from then on, in its place', async () => {
  const list = { threads: [threadOf('a'), threadOf('b')], total: 2 };
  const device = await keptWith({ value: list, atMs: 7 });
  const named = { ...threadOf('b'), title: 'A name' };
  await keepInThreads(device.storage, named);
  const threads = [threadOf('a'), named];
  assert.deepEqual(await device.kept(), { value: { threads, total: 2 }, atMs: 7 });
});

test('what is archived is not in it, and no list is made up', async () => {
  const empty = { value: { threads: [], total: 0 }, atMs: 7 };
  const device = await keptWith(empty);
  await keepInThreads(device.storage, threadOf('a', 'archived'));
  assert.deepEqual(await device.kept(), empty);
  const nothing = await keptWith();
  await keepInThreads(nothing.storage, threadOf('a'));
  assert.equal(await nothing.kept(), undefined);
});
