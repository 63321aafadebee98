/*
 * J1: a reader overtakes the writer all the time. Wherever the file ends just
 * then, no frame is seen half, none is missed and none comes twice.
 */
import assert from 'node:assert/strict';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { journalStart } from '../src/journal/cursor.ts';
import { collect, readerOn, temporaryRunDir } from './journal-rig.ts';
import { createJournalWriter, endJson, exitJson, kinds, startJson } from './journal-writer.ts';

const allKinds = ['meta', 'start', 'output', 'output', 'output', 'exit', 'end'];

function wholeJournal(runDir: string): Buffer {
  const writer = createJournalWriter(runDir);
  writer.append({ kind: kinds.meta, payload: 'meta' });
  writer.json(kinds.start, startJson);
  writer.output('one ');
  writer.output('', 2);
  writer.output('three');
  writer.json(kinds.exit, exitJson);
  writer.json(kinds.end, endJson);
  return readFileSync(writer.path);
}

test('a file cut at any byte gives the whole frames before the cut, then nothing', async (t) => {
  const bytes = wholeJournal(temporaryRunDir(t));
  const runDir = temporaryRunDir(t);
  const path = join(runDir, 'j-0000000000000000');
  let seenMax = 0;
  for (let cut = 0; cut < bytes.length; cut += 1) {
    writeFileSync(path, bytes.subarray(0, cut));
    const { reader } = readerOn(t, runDir);
    const seen = await collect(reader);
    assert.equal(seen.last.kind, 'nothing', `cut at ${cut}`);
    assert.deepEqual(seen.kinds, allKinds.slice(0, seen.kinds.length));
    assert.ok(seen.kinds.length >= seenMax, 'more bytes never show less');
    seenMax = seen.kinds.length;
    await reader.close();
  }
  assert.equal(seenMax, allKinds.length - 1);
});

test('one reader that looks after every byte sees every frame once', async (t) => {
  const bytes = wholeJournal(temporaryRunDir(t));
  const runDir = temporaryRunDir(t);
  const path = join(runDir, 'j-0000000000000000');
  const { reader } = readerOn(t, runDir);
  const seen: string[] = [];
  let next = journalStart;
  assert.equal((await reader.read(next)).kind, 'nothing', 'nobody has claimed the run yet');
  for (const byte of bytes) {
    appendFileSync(path, Buffer.from([byte]));
    const read = await reader.read(next);
    if (read.kind !== 'frames') continue;
    seen.push(...read.frames.map((frame) => frame.kind));
    next = read.next;
  }
  assert.deepEqual(seen, allKinds);
  assert.equal((await reader.read(next)).kind, 'closed');
});

test('any frames, written in any pieces, with looks in between, are read as they were written', async (t) => {
  const sizes = fc.array(fc.oneof(fc.nat(40), fc.nat(90_000)), { minLength: 1, maxLength: 12 });
  const steps = fc.array(fc.integer({ min: 1, max: 120_000 }), { minLength: 1, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(sizes, steps, async (payloads, pieces) => {
      const source = createJournalWriter(temporaryRunDir(t));
      payloads.forEach((size, index) => source.output(Buffer.alloc(size, index + 1)));
      const bytes = readFileSync(source.path);
      const runDir = temporaryRunDir(t);
      const path = join(runDir, 'j-0000000000000000');
      const { reader } = readerOn(t, runDir);
      const output: Buffer[] = [];
      let next = journalStart;
      for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
        const piece = bytes.subarray(at, at + pieces[turn % pieces.length]!);
        appendFileSync(path, piece);
        at += piece.length;
        const seen = await collect(reader, next);
        output.push(seen.output);
        next = seen.next;
      }
      const expected = payloads.map((size, index) => Buffer.alloc(size, index + 1));
      assert.deepEqual(Buffer.concat(output), Buffer.concat(expected));
      assert.equal(next.offset, source.end);
      await reader.close();
    }),
    { numRuns: 40 },
  );
});
