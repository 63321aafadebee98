/*
 * What a rebuild learns from a run directory without reading its output.
 */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { test } from 'node:test';
import { lookForOutput } from '../src/journal/last-output.ts';
import { scanJournal } from '../src/journal/scan.ts';
import { temporaryRunDir } from './journal-rig.ts';
import {
  bootIdHere,
  createJournalWriter,
  endJson,
  exitJson,
  frameBytes,
} from './journal-writer.ts';
import { kinds, startJson } from './journal-writer.ts';

const claim = { epoch: 9, generation: 3, instance: 'next', pid: 4, startTicks: 5 };

test('a run that ended: identity, meta, start, the last claim, exit and end', (t) => {
  const runDir = temporaryRunDir(t);
  const writer = createJournalWriter(runDir, { runId: 'abc', isHold: true });
  writer.append({ kind: kinds.meta, payload: '{"v":1}' });
  writer.json(kinds.start, startJson);
  writer.output('x'.repeat(200_000));
  writer.append({ kind: kinds.output, payload: 'y', timeUs: 1_700_000_000_500_000 });
  writer.json(kinds.claim, { ...claim, epoch: 8 });
  writer.json(kinds.claim, claim);
  writer.json(kinds.exit, exitJson);
  writer.json(kinds.end, endJson);
  const scan = scanJournal(runDir);
  assert.equal(scan.state, 'readable');
  assert.equal(scan.header?.runId, 'abc');
  assert.equal(scan.header.bootId, bootIdHere);
  assert.equal(scan.header.isHold, true);
  assert.equal(scan.header.pidNs, 4_026_531_836);
  assert.deepEqual(scan.header.cookie, Buffer.alloc(16, 0xc0));
  assert.equal(scan.meta?.toString(), '{"v":1}');
  assert.equal(scan.start?.pid, 4242);
  assert.deepEqual(scan.lastClaim, claim);
  assert.equal(scan.epoch, 9);
  assert.equal(scan.exit?.code, 0);
  assert.equal(scan.end?.isFinal, true);
  assert.equal(scan.lastOutputUs, 1_700_000_000_500_000);
  assert.equal(scan.endOffset, writer.end);
  assert.equal(scan.tornBytes, 0);
});

test('over several segments the beginning and the end are found', (t) => {
  const runDir = temporaryRunDir(t);
  const writer = createJournalWriter(runDir);
  writer.append({ kind: kinds.meta, payload: 'm' });
  writer.json(kinds.start, startJson);
  for (let segment = 0; segment < 3; segment += 1) {
    for (let count = 0; count < 50; count += 1) writer.output('z'.repeat(count * 100));
    writer.rotate();
  }
  writer.json(kinds.exit, exitJson);
  const scan = scanJournal(runDir);
  assert.equal(scan.meta?.toString(), 'm');
  assert.equal(scan.epoch, 1, 'of the start, as nobody has claimed it since');
  assert.equal(scan.exit?.reason, 'exit');
  assert.equal(scan.end, undefined);
  assert.equal(scan.oldestOffset, 0);
  assert.equal(scan.endOffset, writer.end);
});

test('the newest output is found in an earlier segment, and the newest frame whatever it is', (t) => {
  const runDir = temporaryRunDir(t);
  const writer = createJournalWriter(runDir);
  writer.append({ kind: kinds.output, payload: 'first', timeUs: 1_000 });
  writer.rotate();
  writer.append({ kind: kinds.output, payload: 'last', timeUs: 2_000 });
  writer.rotate();
  writer.append({ kind: kinds.note, payload: '{}', timeUs: 3_000 });
  const { lastOutputUs, lastFrameUs } = scanJournal(runDir);
  assert.deepEqual([lastOutputUs, lastFrameUs], [2_000, 3_000]);
  const look = lookForOutput(runDir);
  const { tail } = look;
  assert.deepEqual(look, { lastOutputUs: 2_000, at: writer.end, tail });
  writer.append({ kind: kinds.note, payload: '{}', timeUs: 4_000 });
  const noted = lookForOutput(runDir, look);
  assert.deepEqual(noted, { lastOutputUs: 2_000, at: writer.end, tail }, 'a note is no output');
  writer.append({ kind: kinds.output, payload: 'more', timeUs: 5_000 });
  writer.rotate();
  writer.append({ kind: kinds.note, payload: '{}', timeUs: 6_000 });
  const more = lookForOutput(runDir, noted);
  assert.deepEqual([more.lastOutputUs, more.at], [5_000, writer.end]);
});

test('a torn tail is told, and what is before it', (t) => {
  const runDir = temporaryRunDir(t);
  const writer = createJournalWriter(runDir);
  writer.json(kinds.start, startJson);
  const end = writer.end;
  writer.raw(frameBytes({ kind: kinds.exit, payload: '{}' }, end).subarray(0, 33));
  const scan = scanJournal(runDir);
  assert.equal(scan.state, 'torn');
  assert.equal(scan.endOffset, end);
  assert.equal(scan.tornBytes, 33);
  assert.equal(scan.exit, undefined);
  assert.equal(scan.start?.pid, 4242);
});

test('a record that makes no sense is none', (t) => {
  const runDir = temporaryRunDir(t);
  const writer = createJournalWriter(runDir);
  writer.json(kinds.exit, { reason: 5 });
  assert.equal(scanJournal(runDir).exit, undefined);
});

test('an intent is empty, and no directory is an error', (t) => {
  const runDir = temporaryRunDir(t);
  assert.equal(scanJournal(runDir).state, 'empty');
  rmSync(runDir, { recursive: true });
  assert.throws(() => scanJournal(runDir), { code: 'journal-missing' });
});
