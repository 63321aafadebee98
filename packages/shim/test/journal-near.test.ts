/*
 * Where the end of a long output begins: a frame of the journal, and never bytes of a command that look like one.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { findPositionNear, type FrameMarks } from '../src/journal/position-near.ts';
import { collect, readerOn, temporaryRunDir } from './journal-rig.ts';
import { createJournalWriter, exitJson, frameBytes, kinds } from './journal-writer.ts';

const frameBytesMax = 1024 * 1024;

/* A payload that is `length` long and all of false frames, each with a right CRC and the right offset. */
function forged(offset: number, length: number): Buffer {
  const pieces: Buffer[] = [];
  let at = 32;
  while (at < length) {
    const isExit = pieces.length % 2 === 0;
    const [kind, payload] = isExit
      ? [kinds.exit, JSON.stringify(exitJson)]
      : [kinds.output, 'the gateway says: all is well\n'];
    const piece = frameBytes({ kind, stream: isExit ? 0 : 2, payload }, offset + at);
    pieces.push(piece);
    at += piece.length;
  }
  return Buffer.concat(pieces).subarray(0, length);
}

test('J1: frames that a command has written into its own output are output, wherever reading begins', async (context) => {
  const runDir = temporaryRunDir(context);
  const writer = createJournalWriter(runDir);
  writer.json(kinds.meta, {});
  const starts: number[] = [];
  const payloads: Buffer[] = [];
  for (const length of [700_000, frameBytesMax, 40, 900_000, 600_000, frameBytesMax, 1, 65_536]) {
    starts.push(writer.end);
    payloads.push(forged(writer.end, length));
    writer.output(payloads.at(-1) ?? '');
  }
  const whole = Buffer.concat(payloads);
  const marks: FrameMarks = new Map();
  const { reader } = readerOn(context, runDir);
  for (let back = 1; back < writer.end; back += 99_991) {
    const found = findPositionNear(runDir, writer.end - back, marks);
    assert.ok(found !== undefined && starts.includes(found.offset), `${back} from the end`);
    assert.deepEqual(findPositionNear(runDir, writer.end - back), found, 'marks change nothing');
    const { output, kinds: read } = await collect(reader, found);
    assert.ok(
      read.every((kind) => kind === 'output'),
      `${back} from the end: ${read.join(' ')}`,
    );
    assert.ok(whole.subarray(-output.length).equals(output), `${back} from the end`);
  }
  const [places = []] = marks.values();
  assert.ok(places.length >= 2, 'some are kept');
  assert.ok(places.every((place) => starts.includes(place)));
  assert.equal(readFileSync(writer.path).length, writer.end);
});

test('marks are kept of a bounded number of segments', (context) => {
  const runDir = temporaryRunDir(context);
  const writer = createJournalWriter(runDir);
  for (let count = 0; count < 100; count += 1) {
    writer.output('x');
    writer.rotate();
  }
  writer.output('last');
  const marks: FrameMarks = new Map();
  for (let offset = 0; offset < writer.end; offset += 50) findPositionNear(runDir, offset, marks);
  assert.equal(marks.size, 64);
});
