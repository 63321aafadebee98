/*
 * A journal that came with END is read like a file, and without one.
 */
import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import { test } from 'node:test';
import { journalStart, positionAfter } from '../src/journal/cursor.ts';
import { parseFrameRecord } from '../src/journal/frame-record.ts';
import { collect, readerOn, temporaryRunDir } from './journal-rig.ts';
import { createJournalWriter, endJson, exitJson, kinds, startJson } from './journal-writer.ts';

test('all of it is read with no file there, from any cursor', async (t) => {
  const runDir = temporaryRunDir(t);
  const writer = createJournalWriter(runDir);
  writer.json(kinds.start, startJson);
  writer.output('hello');
  writer.json(kinds.exit, exitJson);
  writer.json(kinds.end, endJson);
  const inlined = readFileSync(writer.path);
  rmSync(runDir, { recursive: true });
  const { reader } = readerOn(t, runDir, { inlined });
  const seen = await collect(reader);
  assert.deepEqual(seen.kinds, ['start', 'output', 'exit', 'end']);
  assert.equal(seen.last.kind, 'closed');
  const first = await reader.read(journalStart);
  assert.ok(first.kind === 'frames');
  const output = first.frames.find((frame) => frame.kind === 'output')!;
  const rest = await collect(reader, positionAfter(output, 2));
  assert.equal(rest.output.toString(), 'llo');
  const late = readerOn(t, runDir, { inlined }).reader;
  assert.equal((await late.read(seen.next)).kind, 'closed', 'opened past the end');
});

test('what follows an end that was not final is read from the file', async (t) => {
  const runDir = temporaryRunDir(t);
  const writer = createJournalWriter(runDir);
  writer.json(kinds.end, { ...endJson, final: false });
  const inlined = readFileSync(writer.path);
  const { reader } = readerOn(t, runDir, { inlined });
  const first = await collect(reader);
  assert.equal(first.last.kind, 'nothing');
  writer.json(kinds.end, endJson);
  const rest = await collect(reader, first.next);
  assert.deepEqual(rest.kinds, ['end']);
  assert.equal(rest.last.kind, 'closed');
});

test('bytes that are no journal are ignored in favour of the file', async (t) => {
  const runDir = temporaryRunDir(t);
  const writer = createJournalWriter(runDir);
  writer.output('from the file');
  const { reader } = readerOn(t, runDir, { inlined: Buffer.alloc(500) });
  assert.equal((await collect(reader)).output.toString(), 'from the file');
});

test('records say what their JSON says', async (t) => {
  const runDir = temporaryRunDir(t);
  const writer = createJournalWriter(runDir);
  writer.append({ kind: kinds.meta, payload: 'opaque' });
  writer.json(kinds.resize, { cols: 80, rows: 24 });
  writer.json(kinds.input, { offset: 5, typed: 2, eof: true });
  writer.json(kinds.note, { note: 'attached', actor: null, value: 1 });
  writer.json(kinds.claim, { epoch: 2, generation: 3, instance: 'i', pid: 4, startTicks: 5 });
  const read = await readerOn(t, runDir).reader.read(journalStart);
  assert.ok(read.kind === 'frames');
  assert.deepEqual(read.frames.map(parseFrameRecord), [
    { kind: 'meta', meta: Buffer.from('opaque') },
    { kind: 'resize', cols: 80, rows: 24 },
    { kind: 'input', offset: 5, typedBytes: 2, isEof: true },
    { kind: 'note', note: 'attached', fields: { note: 'attached', actor: null, value: 1 } },
    { kind: 'claim', claim: { epoch: 2, generation: 3, instance: 'i', pid: 4, startTicks: 5 } },
  ]);
});
