/*
 * J2, J3: segments come, and the oldest go, also under the reader.
 */
import assert from 'node:assert/strict';
import { appendFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { journalStart } from '../src/journal/cursor.ts';
import { createChunkPool } from '../src/journal/chunk-pool.ts';
import { collect, readerOn, temporaryRunDir } from './journal-rig.ts';
import { createJournalWriter, endJson, kinds, segmentHeaderBytes } from './journal-writer.ts';

const at = (offset: number) => ({ offset, payloadOffset: 0 });

test('reading runs on over segments, and frames of all sizes arrive', async (t) => {
  const runDir = temporaryRunDir(t);
  const writer = createJournalWriter(runDir);
  const expected: Buffer[] = [];
  for (let segment = 0; segment < 4; segment += 1) {
    for (const size of [10, 70_000, 1024 * 1024, 3]) {
      const payload = Buffer.alloc(size, segment * 10 + 1);
      expected.push(payload);
      writer.output(payload);
    }
    writer.rotate();
  }
  writer.json(kinds.end, endJson);
  for (const chunkBytes of [100, 4096, 65_536, undefined]) {
    const { reader } = readerOn(t, runDir, { pool: createChunkPool({ chunkBytes }) });
    const seen = await collect(reader);
    assert.equal(seen.last.kind, 'closed');
    assert.equal(Buffer.compare(seen.output, Buffer.concat(expected)), 0);
    assert.equal(seen.kinds.length, 17, 'a frame that came in pieces is one frame');
  }
});

test('a reader at the end of a segment goes on when the next one has a whole header', async (t) => {
  const runDir = temporaryRunDir(t);
  const writer = createJournalWriter(runDir);
  writer.output('first');
  const { reader } = readerOn(t, runDir);
  const first = await collect(reader);
  assert.equal(first.last.kind, 'nothing');
  const nextPath = join(runDir, `j-${writer.end.toString(16).padStart(16, '0')}`);
  writeFileSync(nextPath, segmentHeaderBytes({ base: writer.end }).subarray(0, 60));
  assert.equal((await reader.read(first.next)).kind, 'nothing');
  /* The writer could not begin the segment, takes it back and goes on in the old one. */
  rmSync(nextPath);
  writer.output('second');
  const second = await collect(reader, first.next);
  assert.equal(second.output.toString(), 'second');
  writer.rotate();
  writer.output('third');
  assert.equal((await collect(reader, second.next)).output.toString(), 'third');
});

test('a cursor into a segment that is gone gives a gap to the oldest one left', async (t) => {
  const runDir = temporaryRunDir(t);
  const writer = createJournalWriter(runDir);
  writer.output('lost');
  writer.rotate();
  const second = writer.base;
  writer.output('kept');
  writer.dropSegment(0);
  const { reader } = readerOn(t, runDir);
  assert.deepEqual(await reader.read(journalStart), {
    kind: 'gap',
    from: journalStart,
    to: at(second),
  });
  assert.equal((await collect(reader, at(second))).output.toString(), 'kept');
});

test('segments that vanish under the reader are a gap after what it had open', async (t) => {
  const runDir = temporaryRunDir(t);
  const writer = createJournalWriter(runDir);
  writer.output('a');
  const { reader } = readerOn(t, runDir);
  const first = await collect(reader);
  writer.output('still readable');
  writer.rotate();
  const second = writer.base;
  writer.output('never seen');
  writer.rotate();
  const third = writer.base;
  writer.output('after the gap');
  writer.dropSegment(0);
  writer.dropSegment(second);
  const rest = await collect(reader, first.next);
  assert.equal(rest.output.toString(), 'still readable');
  assert.deepEqual(rest.last, { kind: 'gap', from: at(second), to: at(third) });
  assert.equal((await collect(reader, at(third))).output.toString(), 'after the gap');
});

test('a frame that is torn in a segment with a successor is damage up to that one', async (t) => {
  const runDir = temporaryRunDir(t);
  const writer = createJournalWriter(runDir);
  writer.output('good');
  const torn = writer.end;
  writer.output('bad');
  const firstPath = writer.path;
  writer.rotate();
  const second = writer.base;
  writer.output('good again');
  truncateSync(firstPath, torn + 33);
  appendFileSync(firstPath, Buffer.alloc(second - torn - 33));
  const rig = readerOn(t, runDir);
  const seen = await collect(rig.reader);
  assert.equal(seen.output.toString(), 'good');
  const bytes = second - torn;
  assert.deepEqual(seen.last, { kind: 'damaged', from: at(torn), to: at(second), bytes });
});

test('a missing run directory is an error, an empty one is an intent', async (t) => {
  const runDir = temporaryRunDir(t);
  const rig = readerOn(t, runDir);
  assert.equal((await rig.reader.read(journalStart)).kind, 'nothing');
  rig.isAlive = false;
  assert.equal((await rig.reader.read(journalStart)).kind, 'tail-lost');
  rmSync(runDir, { recursive: true });
  await assert.rejects(rig.reader.read(journalStart), { code: 'journal-missing' });
});
