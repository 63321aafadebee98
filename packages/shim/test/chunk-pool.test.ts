/*
 * R1: memory is used again only after it was given back, and whoever still
 * holds a view of it then sees nothing.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type ChunkPool,
  type ChunkPoolLimits,
  createChunkPool,
} from '../src/journal/chunk-pool.ts';
import { journalStart } from '../src/journal/cursor.ts';
import { readerOn, temporaryRunDir } from './journal-rig.ts';
import { createJournalWriter } from './journal-writer.ts';

/* A pool whose user has shown that chunks come back. */
function warmPool(limits: ChunkPoolLimits): ChunkPool {
  const pool = createChunkPool(limits);
  pool.give(pool.take(1));
  return pool;
}

test('a chunk that was given back empties its views and is lent again', () => {
  const pool = warmPool({ chunkBytes: 64 });
  const first = pool.take(64);
  first.fill(1);
  const view = first.subarray(3, 9);
  pool.give(first);
  assert.equal(view.length, 0);
  const second = pool.take(10);
  assert.equal(second.length, 10);
  assert.equal(second[0], 1, 'the same memory');
});

test('giving twice, or what is not ours, changes nothing', () => {
  const pool = warmPool({ chunkBytes: 64 });
  const chunk = pool.take(64);
  pool.give(chunk);
  pool.give(chunk);
  const left = pool.take(64);
  const right = pool.take(64);
  assert.notEqual(left.buffer, right.buffer);
  const foreign = Buffer.alloc(64, 5);
  pool.give(foreign);
  assert.equal(foreign[63], 5);
});

test('who never gives back is lent no more than it asks for', () => {
  const pool = createChunkPool({ chunkBytes: 4096 });
  assert.equal(pool.take(10).buffer.byteLength, 10);
  assert.equal(pool.take(10).buffer.byteLength, 10);
});

test('no more is kept than the limit says', () => {
  const pool = warmPool({ chunkBytes: 64, keptBytesMax: 128 });
  const chunks = [pool.take(64), pool.take(64), pool.take(64)];
  for (const chunk of chunks) pool.give(chunk);
  assert.deepEqual(
    chunks.map((chunk) => chunk.length),
    [0, 0, 64],
  );
});

test('payloads that are not released survive all later reads', async (t) => {
  const runDir = temporaryRunDir(t);
  const writer = createJournalWriter(runDir);
  const payloads = [1, 2, 3, 4].map((value) => Buffer.alloc(200_000, value));
  for (const payload of payloads) writer.output(payload);
  const { reader } = readerOn(t, runDir, { pool: createChunkPool({ chunkBytes: 150_000 }) });
  const kept: Buffer[] = [];
  let next = journalStart;
  for (let turn = 0; ; turn += 1) {
    const read = await reader.read(next);
    if (read.kind !== 'frames') break;
    if (turn % 2 === 0) kept.push(...read.frames.map((frame) => frame.payload));
    else {
      kept.push(...read.frames.map((frame) => Buffer.from(frame.payload)));
      read.release();
    }
    next = read.next;
  }
  assert.equal(Buffer.compare(Buffer.concat(kept), Buffer.concat(payloads)), 0);
});

test('one read at a time, and none after closing', async (t) => {
  const runDir = temporaryRunDir(t);
  createJournalWriter(runDir).output('x');
  const { reader } = readerOn(t, runDir);
  const first = reader.read(journalStart);
  assert.throws(() => reader.read(journalStart), { code: 'reader-misused' });
  await first;
  await reader.close();
  assert.throws(() => reader.read(journalStart), { code: 'reader-misused' });
});
