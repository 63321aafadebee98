/*
 * J2: cursors. Any of them can be handed back at any time and gives the rest,
 * no byte less and none twice.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createChunkPool } from '../src/journal/chunk-pool.ts';
import { formatCursor, journalStart, parseCursor, positionAfter } from '../src/journal/cursor.ts';
import { collect, readerOn, temporaryRunDir } from './journal-rig.ts';
import { bootIdOther, createJournalWriter, kinds, startJson } from './journal-writer.ts';

test('a cursor has one text, and the text one position', () => {
  const offset = fc.nat(Number.MAX_SAFE_INTEGER);
  fc.assert(
    fc.property(offset, fc.nat(1024 * 1024), (at, payloadOffset) => {
      const text = formatCursor({ offset: at, payloadOffset });
      assert.deepEqual(parseCursor(text), { offset: at, payloadOffset });
    }),
  );
  assert.equal(formatCursor(journalStart), '0.0');
});

for (const text of [
  '',
  '0',
  '.',
  '0.',
  '.0',
  '00.0',
  '0.00',
  '0.0 ',
  'A.0',
  '-1.0',
  '0.0.0',
  '1e1.+1',
  'zzzzzzzzzzzz.0',
  'zzzzzzzzzzz.0',
  '0.zzzz',
  '٣.0',
]) {
  test(`"${text}" is no cursor`, () => {
    assert.throws(() => parseCursor(text), { code: 'cursor-invalid' });
  });
}

test('from every byte of the output on, the rest is read', async (t) => {
  const runDir = temporaryRunDir(t);
  const writer = createJournalWriter(runDir);
  writer.json(kinds.start, startJson);
  writer.output('first ');
  writer.output('second ', 2);
  writer.rotate();
  writer.output('third');
  const text = 'first second third';
  const pool = createChunkPool({ chunkBytes: 64 });
  for (const deps of [{}, { pool }, { isVerified: true, pool }, { bootId: bootIdOther }]) {
    const { reader } = readerOn(t, runDir, deps);
    let seenBytes = 0;
    let next = journalStart;
    for (;;) {
      const read = await reader.read(next);
      if (read.kind !== 'frames') break;
      for (const frame of read.frames) {
        for (let bytes = 1; frame.kind === 'output' && bytes <= frame.payload.length; bytes += 1) {
          seenBytes += 1;
          const cursor = parseCursor(formatCursor(positionAfter(frame, bytes)));
          const rest = await collect(readerOn(t, runDir, deps).reader, cursor);
          assert.equal(rest.output.toString(), text.slice(seenBytes));
        }
      }
      next = read.next;
    }
    assert.equal(seenBytes, text.length);
  }
});

test('a cursor stays good while the journal grows and its beginning goes', async (t) => {
  const runDir = temporaryRunDir(t);
  const writer = createJournalWriter(runDir);
  writer.output('old');
  writer.rotate();
  writer.output('0123456789');
  const cursor = { offset: writer.end - 10 - 32, payloadOffset: 4 };
  const before = await collect(readerOn(t, runDir).reader, cursor);
  writer.output('more');
  writer.rotate();
  writer.output(' and more');
  writer.dropSegment(0);
  const after = await collect(readerOn(t, runDir).reader, cursor);
  assert.equal(before.output.toString(), '456789');
  assert.equal(after.output.toString(), '456789more and more');
});

test('a large frame that is just written comes in pieces whose cursors all work', async (t) => {
  const runDir = temporaryRunDir(t);
  const writer = createJournalWriter(runDir);
  const payload = Buffer.alloc(300_000, 'abcdefghij');
  const pool = createChunkPool({ chunkBytes: 50_000 });
  const { reader } = readerOn(t, runDir, { pool });
  writer.output('seen before');
  let { next } = await collect(reader);
  writer.output(payload);
  let seenBytes = 0;
  let pieces = 0;
  for (;;) {
    const read = await reader.read(next);
    if (read.kind !== 'frames') break;
    for (const frame of read.frames) seenBytes += frame.payload.length;
    next = read.next;
    pieces += 1;
    const rest = await collect(readerOn(t, runDir, { pool }).reader, next);
    assert.equal(Buffer.compare(rest.output, payload.subarray(seenBytes)), 0);
  }
  assert.equal(pieces, 7);
  assert.equal(seenBytes, payload.length);
});

test('a cursor that points into a header or past a payload is refused', async (t) => {
  const runDir = temporaryRunDir(t);
  const writer = createJournalWriter(runDir);
  writer.output('12345');
  const { reader } = readerOn(t, runDir);
  const refused = { code: 'cursor-invalid' };
  await assert.rejects(reader.read({ offset: 5, payloadOffset: 0 }), refused);
  await assert.rejects(reader.read({ offset: 128, payloadOffset: 6 }), refused);
  const behind = await reader.read({ offset: 128, payloadOffset: 5 });
  assert.ok(behind.kind === 'nothing' || (behind.kind === 'frames' && behind.frames.length === 0));
});

test("the end of a frame's payload is the beginning of the next frame", async (t) => {
  const runDir = temporaryRunDir(t);
  const writer = createJournalWriter(runDir);
  writer.output('12345');
  writer.output('6');
  const { reader } = readerOn(t, runDir);
  const seen = await collect(reader, { offset: 128, payloadOffset: 5 });
  assert.equal(seen.output.toString(), '6');
});
