/*
 * J1, J2: how a journal ends. A bad tail is final only when the shim is dead.
 */
import assert from 'node:assert/strict';
import { appendFileSync } from 'node:fs';
import { test } from 'node:test';
import { collect, flipByte, readerOn, temporaryRunDir } from './journal-rig.ts';
import { createJournalWriter, endJson, frameBytes, kinds } from './journal-writer.ts';

test('half a frame is nothing while the shim lives and lost when it is dead', async (t) => {
  const runDir = temporaryRunDir(t);
  const writer = createJournalWriter(runDir);
  writer.output('whole');
  const end = writer.end;
  writer.raw(
    frameBytes({ kind: kinds.output, stream: 1, payload: 'half of it' }, end).subarray(0, 37),
  );
  const rig = readerOn(t, runDir);
  const seen = await collect(rig.reader);
  assert.equal(seen.output.toString(), 'whole');
  assert.equal(seen.last.kind, 'nothing');
  rig.isAlive = false;
  assert.deepEqual(await rig.reader.read(seen.next), {
    kind: 'tail-lost',
    at: { offset: end, payloadOffset: 0 },
    tornBytes: 37,
    missedBytes: 0,
  });
});

test('what came with a doorbell is read like the file, and anything else is not taken', async (t) => {
  const runDir = temporaryRunDir(t);
  const writer = createJournalWriter(runDir);
  writer.output('early');
  const { reader } = readerOn(t, runDir);
  const { next } = await collect(reader);
  const told = frameBytes({ kind: kinds.output, stream: 1, payload: 'told' }, next.offset);
  assert.equal(reader.readTold(next, told.subarray(0, -1)), undefined, 'half of a frame');
  assert.equal(reader.readTold({ ...next, offset: next.offset + 1 }, told), undefined, 'elsewhere');
  const read = reader.readTold(next, told);
  assert.ok(read?.kind === 'frames');
  assert.equal(read.frames[0]?.payload.toString(), 'told');
  writer.output('told');
  writer.output('late');
  assert.equal((await collect(reader, read.next)).output.toString(), 'late');
});

test('a cursor beyond the end of a journal that has its end is none', async (t) => {
  const runDir = temporaryRunDir(t);
  const writer = createJournalWriter(runDir);
  writer.output('all of it');
  writer.json(kinds.end, endJson);
  const rig = readerOn(t, runDir);
  rig.isAlive = false;
  const { next, last } = await collect(rig.reader);
  assert.equal(last.kind, 'closed');
  const beyond = { offset: next.offset + 1000, payloadOffset: 0 };
  await assert.rejects(readerOn(t, runDir, { shimAlive: () => false }).reader.read(beyond), {
    code: 'cursor-invalid',
  });
});

test('what a shim wrote just before it died is read, not called lost', async (t) => {
  const runDir = temporaryRunDir(t);
  const writer = createJournalWriter(runDir);
  writer.output('early');
  const { reader } = readerOn(t, runDir, {
    shimAlive: () => {
      if (writer.end < 300) writer.output('last words'.repeat(30));
      return false;
    },
  });
  const seen = await collect(reader);
  assert.equal(seen.output.toString(), `early${'last words'.repeat(30)}`);
  assert.equal(seen.last.kind, 'tail-lost');
});

test('a dead shim without an end record: lost, though nothing is torn', async (t) => {
  const runDir = temporaryRunDir(t);
  const writer = createJournalWriter(runDir);
  writer.output('all there is');
  const rig = readerOn(t, runDir);
  rig.isAlive = false;
  const { last } = await collect(rig.reader);
  assert.ok(last.kind === 'tail-lost' && last.tornBytes === 0);
});

test('a journal is closed only by a final end', async (t) => {
  const runDir = temporaryRunDir(t);
  const writer = createJournalWriter(runDir);
  writer.json(kinds.end, { ...endJson, final: false });
  const { reader } = readerOn(t, runDir);
  const first = await collect(reader);
  assert.equal(first.last.kind, 'nothing', 'survivors remain, another end will come');
  writer.json(kinds.end, endJson);
  assert.equal((await collect(reader, first.next)).last.kind, 'closed');
});

test('a reader opened past the final end finds the journal closed', async (t) => {
  const runDir = temporaryRunDir(t);
  const writer = createJournalWriter(runDir);
  for (let count = 0; count < 500; count += 1) writer.output('x'.repeat(count * 20));
  writer.json(kinds.end, endJson);
  const rig = readerOn(t, runDir);
  rig.isAlive = false;
  const past = { offset: writer.end, payloadOffset: 0 };
  assert.equal((await rig.reader.read(past)).kind, 'closed');
});

test('a damaged record is never handed out', async (t) => {
  const runDir = temporaryRunDir(t);
  const writer = createJournalWriter(runDir);
  const bad = writer.end;
  writer.json(kinds.end, endJson);
  flipByte(writer.path, bad + 40);
  const { reader } = readerOn(t, runDir);
  assert.deepEqual((await collect(reader)).kinds, []);
});

test('a frame for another place in the journal is no frame', async (t) => {
  const runDir = temporaryRunDir(t);
  const writer = createJournalWriter(runDir);
  appendFileSync(writer.path, frameBytes({ kind: kinds.output, payload: 'x' }, 4096));
  const { reader } = readerOn(t, runDir);
  assert.deepEqual((await collect(reader)).kinds, []);
});

test('a journal of a later version is refused by name', async (t) => {
  const runDir = temporaryRunDir(t);
  createJournalWriter(runDir, { version: 2 });
  const { reader } = readerOn(t, runDir);
  await assert.rejects(collect(reader), { code: 'journal-unsupported' });
});

test('a kind of a later shim is stepped over', async (t) => {
  const runDir = temporaryRunDir(t);
  const writer = createJournalWriter(runDir);
  writer.append({ kind: 77, payload: 'who knows' });
  writer.output('known');
  const { reader } = readerOn(t, runDir);
  const seen = await collect(reader);
  assert.deepEqual(seen.kinds, ['unknown', 'output']);
  assert.equal(seen.output.toString(), 'known');
});
