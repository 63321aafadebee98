/*
 * Where a run's output ends: found by stepping over its journal once, and not hidden by what is no output.
 */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { mock, test } from 'node:test';
import {
  lookForOutput,
  lookInSteps,
  noOutputLook,
  type OutputLook,
} from '../src/journal/last-output.ts';
import { tailRange } from '../src/journal/output-tail.ts';
import { collect, readerOn, temporaryRunDir } from './journal-rig.ts';
import { createJournalWriter, kinds } from './journal-writer.ts';

const tailBytes = 1_024;

function look(runDir: string, before: OutputLook = noOutputLook) {
  const looking = lookInSteps(runDir, before, tailBytes);
  for (let steps = 0; ; steps += 1) {
    const step = looking.next();
    if (step.done === true) return { ...step.value, steps };
  }
}

/* Bytes read of journals while this is done; they are read synchronously here. */
function readBy(work: () => void): number {
  const reads = mock.method(fs, 'readSync');
  syncBuiltinESMExports();
  try {
    work();
    return reads.mock.calls.reduce((sum, call) => sum + Number(call.result ?? 0), 0);
  } finally {
    reads.mock.restore();
    syncBuiltinESMExports();
  }
}

test('the last KiB of output is what was said last, however much else has been written since', async (context) => {
  const runDir = temporaryRunDir(context);
  const writer = createJournalWriter(runDir);
  writer.output('x'.repeat(3_000));
  writer.output('server ready on port 3000\n');
  const note = JSON.stringify({ note: 'attached', value: 1 });
  for (let count = 0; count < 200; count += 1) {
    writer.append({ kind: kinds.note, payload: note });
    if (count === 100) writer.rotate();
  }
  const range = tailRange(look(runDir).tail, tailBytes);
  assert.ok(range !== undefined);
  const { reader } = readerOn(context, runDir);
  const { output } = await collect(reader, range.start);
  assert.equal(output.length, tailBytes);
  assert.match(output.toString(), /xserver ready on port 3000\n$/);
  // Notes move nothing.
  writer.append({ kind: kinds.note, payload: note });
  assert.deepEqual(tailRange(look(runDir).tail, tailBytes), range);
});

test('what was said since is added to what an earlier look has found, over segments too', (context) => {
  const runDir = temporaryRunDir(context);
  const writer = createJournalWriter(runDir);
  let known = { ...noOutputLook, steps: 0 };
  for (let count = 0; count < 300; count += 1) {
    writer.output(`${count}\n`);
    if (count % 70 === 69) writer.rotate();
    if (count % 3 === 0) writer.json(kinds.claim, { epoch: count });
    known = look(runDir, known);
    const { tail, lastOutputUs, at } = look(runDir);
    assert.deepEqual([known.lastOutputUs, known.at], [lastOutputUs, at]);
    assert.deepEqual(known.tail, tail, `after ${count}`);
  }
});

test('a journal that has not grown is not read again, and one that has only from there on', (context) => {
  const runDir = temporaryRunDir(context);
  const writer = createJournalWriter(runDir);
  const frames = Buffer.from('y'.repeat(100));
  for (let count = 0; count < 30_000; count += 1) writer.output(frames);
  let known: OutputLook = noOutputLook;
  let steps = 0;
  const first = readBy(() => ({ steps, ...known } = look(runDir)));
  assert.ok(first > 1024 * 1024, `${first} bytes at first`);
  assert.ok(steps >= 3, 'in pieces');
  assert.equal(
    readBy(() => assert.equal(lookForOutput(runDir, known), known)),
    0,
  );
  assert.equal(
    readBy(() => assert.equal(look(runDir, known).at, writer.end)),
    0,
  );
  writer.output('more');
  const second = readBy(() => (known = look(runDir, known)));
  assert.ok(second > 0 && second < 1_024, `${second} bytes for one more frame`);
  assert.equal(known.at, writer.end);
});

test('the tail is bounded in frames and in bytes', (context) => {
  const runDir = temporaryRunDir(context);
  const writer = createJournalWriter(runDir);
  for (let count = 0; count < 3_000; count += 1) writer.output('k');
  const { tail } = look(runDir);
  assert.ok(tail.length > 240 && tail.length < 600, `${tail.length} frames of a byte`);
  writer.output('z'.repeat(100_000));
  const range = tailRange(look(runDir).tail, tailBytes);
  const lastFrame = writer.end - 100_032;
  assert.deepEqual(range, {
    start: { offset: lastFrame, payloadOffset: 100_000 - tailBytes },
    end: { offset: writer.end, payloadOffset: 0 },
  });
  assert.equal(tailRange([], tailBytes), undefined);
});
