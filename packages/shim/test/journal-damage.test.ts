/*
 * J1, J2: a journal that was cut, deleted or altered is read up to there, told as what it is, and read on where frames begin again,
 * whether its shim lives or not.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { test, type TestContext } from 'node:test';
import type { JournalReaderDeps } from '../src/journal/reader.ts';
import { scanJournal } from '../src/journal/scan.ts';
import { segmentPath } from '../src/journal/segments.ts';
import { collect, flipByte, readerOn, readThrough, temporaryRunDir } from './journal-rig.ts';
import { createJournalWriter, endJson, exitJson, frameBytes, kinds } from './journal-writer.ts';

/* Three segments with two frames each, exit and end in the last. */
function writeJournal(t: TestContext) {
  const runDir = temporaryRunDir(t);
  const writer = createJournalWriter(runDir);
  const bases: number[] = [];
  const frames: number[] = [];
  for (const name of ['a', 'b', 'c']) {
    if (bases.length > 0) writer.rotate();
    bases.push(writer.base);
    for (const number of [1, 2]) {
      frames.push(writer.end);
      writer.output(`${name}${number} `);
    }
  }
  writer.json(kinds.exit, exitJson);
  writer.json(kinds.end, endJson);
  const path = (index: number): string => segmentPath(runDir, bases[index]!);
  const frameAt = (index: number): number => frames[index]!;
  const placeOf = (index: number): number => frameAt(index) - bases[Math.floor(index / 2)]!;
  return { runDir, writer, bases, path, frameAt, placeOf, end: writer.end };
}

type Journal = ReturnType<typeof writeJournal>;

async function readBack(t: TestContext, runDir: string, deps: Partial<JournalReaderDeps> = {}) {
  const { reader } = readerOn(t, runDir, { shimAlive: () => false, ...deps });
  const { output, told } = await readThrough(reader);
  const kindsTold = told.map(({ kind }) => kind);
  const bytes = told.reduce((sum, one) => sum + (one.kind === 'damaged' ? one.bytes : 0), 0);
  return { output, kinds: kindsTold, bytes, last: told.at(-1)! };
}

interface Case {
  readonly name: string;
  readonly harm: (journal: Journal) => void;
  readonly output: string;
  readonly kinds: readonly string[];
  /* While the shim lives; the same when it is not named. */
  readonly living?: readonly string[];
}

const all = 'a1 a2 b1 b2 c1 c2 ';
const cases: readonly Case[] = [
  { name: 'nothing was done', harm: () => {}, output: all, kinds: ['closed'] },
  {
    name: 'the first segment is deleted',
    harm: ({ path }) => rmSync(path(0)),
    output: 'b1 b2 c1 c2 ',
    kinds: ['gap', 'closed'],
  },
  {
    name: 'one in the middle is deleted',
    harm: ({ path }) => rmSync(path(1)),
    output: 'a1 a2 c1 c2 ',
    kinds: ['damaged', 'closed'],
  },
  {
    name: 'the last one is deleted',
    harm: ({ path }) => rmSync(path(2)),
    output: 'a1 a2 b1 b2 ',
    kinds: ['tail-lost'],
    living: ['damaged', 'nothing'],
  },
  {
    name: 'all are deleted',
    harm: ({ path }) => [0, 1, 2].forEach((index) => rmSync(path(index))),
    output: '',
    kinds: ['tail-lost'],
    living: ['damaged', 'nothing'],
  },
  {
    name: 'one is cut inside a header',
    harm: ({ path, placeOf }) => truncateSync(path(1), placeOf(3) + 10),
    output: 'a1 a2 b1 c1 c2 ',
    kinds: ['damaged', 'closed'],
  },
  {
    name: 'one is cut inside a payload',
    harm: ({ path, placeOf }) => truncateSync(path(1), placeOf(3) + 34),
    output: 'a1 a2 b1 c1 c2 ',
    kinds: ['damaged', 'closed'],
  },
  {
    name: 'one is cut between two frames',
    harm: ({ path, placeOf }) => truncateSync(path(1), placeOf(3)),
    output: 'a1 a2 b1 c1 c2 ',
    kinds: ['damaged', 'closed'],
  },
  {
    name: 'the last one is cut between two frames, before the exit',
    harm: ({ path, placeOf }) => truncateSync(path(2), placeOf(5)),
    output: 'a1 a2 b1 b2 c1 ',
    kinds: ['tail-lost'],
    living: ['damaged', 'nothing'],
  },
  {
    name: 'the last one is cut to nothing',
    harm: ({ path }) => truncateSync(path(2), 0),
    output: 'a1 a2 b1 b2 ',
    kinds: ['tail-lost'],
    living: ['damaged', 'nothing'],
  },
  {
    name: "a byte of a segment's header is another",
    harm: ({ path }) => flipByte(path(1), 40),
    output: all,
    kinds: ['damaged', 'closed'],
  },
  {
    name: "a byte of the first segment's header is another",
    harm: ({ path }) => flipByte(path(0), 5),
    output: all,
    kinds: ['damaged', 'closed'],
  },
  {
    name: 'a byte of a payload is another',
    harm: ({ path, placeOf }) => flipByte(path(1), placeOf(2) + 33),
    output: 'a1 a2 b2 c1 c2 ',
    kinds: ['damaged', 'closed'],
  },
  {
    name: 'a byte of the last output is another',
    harm: ({ path, placeOf }) => flipByte(path(2), placeOf(5) + 33),
    output: 'a1 a2 b1 b2 c1 ',
    kinds: ['damaged', 'closed'],
  },
  {
    name: 'two segments have changed places',
    harm: ({ runDir, path }) => {
      renameSync(path(0), `${runDir}/aside`);
      renameSync(path(1), path(0));
      renameSync(`${runDir}/aside`, path(1));
    },
    output: 'c1 c2 ',
    kinds: ['damaged', 'damaged', 'closed'],
  },
  {
    name: 'something follows the end',
    harm: ({ path }) => appendFileSync(path(2), 'garbage'.repeat(100)),
    output: all,
    kinds: ['damaged', 'closed'],
  },
  {
    name: 'something stands between two segments',
    harm: ({ path }) => appendFileSync(path(0), 'garbage'),
    output: all,
    kinds: ['damaged', 'closed'],
  },
  {
    name: 'a segment is a link',
    harm: ({ runDir, path }) => {
      renameSync(path(1), `${runDir}/elsewhere`);
      symlinkSync(`${runDir}/elsewhere`, path(1));
    },
    output: 'a1 a2 c1 c2 ',
    kinds: ['damaged', 'closed'],
  },
  {
    name: 'a segment is a link to nothing',
    harm: ({ runDir, path }) => {
      rmSync(path(1));
      symlinkSync(`${runDir}/nowhere`, path(1));
    },
    output: 'a1 a2 c1 c2 ',
    kinds: ['damaged', 'closed'],
  },
  {
    name: 'a segment is a directory',
    harm: ({ path }) => {
      rmSync(path(1));
      mkdirSync(path(1));
    },
    output: 'a1 a2 c1 c2 ',
    kinds: ['damaged', 'closed'],
  },
  {
    name: 'the first segment is a pipe',
    harm: ({ path }) => {
      rmSync(path(0));
      execFileSync('mkfifo', [path(0)]);
    },
    output: 'b1 b2 c1 c2 ',
    kinds: ['damaged', 'closed'],
  },
  {
    name: 'the last segment is a pipe',
    harm: ({ path }) => {
      rmSync(path(2));
      execFileSync('mkfifo', [path(2)]);
    },
    output: 'a1 a2 b1 b2 ',
    kinds: ['tail-lost'],
    living: ['damaged', 'nothing'],
  },
];

for (const { name, harm, output, kinds: dead, living = dead } of cases) {
  test(`J1: ${name}: read and told (shim dead)`, async (t) => {
    const journal = writeJournal(t);
    harm(journal);
    const seen = await readBack(t, journal.runDir, { writtenTo: () => journal.end });
    assert.deepEqual({ output: seen.output, kinds: seen.kinds }, { output, kinds: dead });
    if (seen.last.kind === 'tail-lost') {
      assert.equal(seen.last.missedBytes, journal.end - seen.last.at.offset);
    }
    /* Whoever reconciles must come to an end with it, too. */
    scanJournal(journal.runDir);
  });

  test(`J1: ${name}: read and told (shim alive)`, async (t) => {
    const journal = writeJournal(t);
    harm(journal);
    const deps = { shimAlive: () => true, writtenTo: () => journal.end };
    const seen = await readBack(t, journal.runDir, deps);
    assert.deepEqual({ output: seen.output, kinds: seen.kinds }, { output, kinds: living });
  });
}

test('J1: whichever byte of a frame is another, its neighbours are read and the damage is told', async (t) => {
  for (let place = 0; place < 32 + 3; place += 1) {
    const journal = writeJournal(t);
    flipByte(journal.path(1), journal.placeOf(3) + place);
    const seen = await readBack(t, journal.runDir);
    assert.equal(seen.output, 'a1 a2 b1 c1 c2 ', `byte ${place}`);
    assert.deepEqual(seen.kinds, ['damaged', 'closed'], `byte ${place}`);
    assert.equal(seen.bytes, 35, `byte ${place}`);
  }
});

test('J1: wherever a journal is cut, what is before is read and the rest is told', async (t) => {
  const { end } = writeJournal(t);
  for (let length = 0; length < 300; length += 7) {
    const journal = writeJournal(t);
    truncateSync(journal.path(2), length);
    const seen = await readBack(t, journal.runDir, { writtenTo: () => end });
    assert.ok(all.startsWith(seen.output), `cut at ${length}: ${seen.output}`);
    assert.equal(seen.last.kind, 'tail-lost', `cut at ${length}`);
  }
});

test("a segment of another run is not read as this run's", async (t) => {
  const journal = writeJournal(t);
  const other = temporaryRunDir(t);
  createJournalWriter(other, { runId: 'run-2' }).output('secret');
  rmSync(journal.path(0));
  renameSync(segmentPath(other, 0), journal.path(0));
  const seen = await readBack(t, journal.runDir, { runId: 'run-1' });
  assert.deepEqual(seen.kinds, ['damaged', 'closed']);
  assert.equal(seen.output, 'b1 b2 c1 c2 ');
});

test('output that holds a journal does not lead a reader astray', async (t) => {
  const runDir = temporaryRunDir(t);
  const writer = createJournalWriter(runDir);
  const inner = frameBytes({ kind: kinds.output, stream: 1, payload: 'inner' }, 4711);
  const bad = writer.end;
  writer.output(Buffer.concat([inner, inner]));
  writer.output('after');
  flipByte(writer.path, bad + 8);
  const seen = await readBack(t, runDir);
  assert.equal(seen.output, 'after');
});

test('the exit record behind a damaged frame is found by who reconciles', (t) => {
  const journal = writeJournal(t);
  flipByte(journal.path(2), journal.placeOf(4) + 3);
  const { exit, end, tornBytes } = scanJournal(journal.runDir);
  assert.deepEqual([exit?.code, end?.isFinal, tornBytes], [0, true, 0]);
});

test('what a living shim writes is read at once and never called damaged', async (t) => {
  const runDir = temporaryRunDir(t);
  const writer = createJournalWriter(runDir);
  writer.append({ kind: kinds.meta, payload: 'whose it is' });
  const { reader } = readerOn(t, runDir, { writtenTo: () => writer.end });
  let next = (await collect(reader)).next;
  for (let count = 0; count < 200; count += 1) {
    if (count % 17 === 0) writer.rotate();
    writer.output(`line ${count}`);
    const seen = await collect(reader, next);
    assert.deepEqual([seen.output.toString(), seen.last.kind], [`line ${count}`, 'nothing']);
    next = seen.next;
  }
});

test('a frame that is on its way is waited for, although its bytes are counted', async (t) => {
  const runDir = temporaryRunDir(t);
  const writer = createJournalWriter(runDir);
  const frame = frameBytes({ kind: kinds.output, stream: 1, payload: 'on its way' }, writer.end);
  writer.raw(frame.subarray(0, 36));
  const { reader } = readerOn(t, runDir, { writtenTo: () => writer.end });
  const half = await collect(reader);
  assert.equal(half.last.kind, 'nothing');
  writer.raw(frame.subarray(36));
  assert.equal((await collect(reader, half.next)).output.toString(), 'on its way');
});

test('a position inside a whole frame is refused, not told as damage', async (t) => {
  const journal = writeJournal(t);
  const { reader } = readerOn(t, journal.runDir, { shimAlive: () => false });
  const inside = { offset: journal.frameAt(2) + 7, payloadOffset: 0 };
  await assert.rejects(reader.read(inside), { code: 'cursor-invalid' });
});

test('bad bytes at the end of a journal that is still written are counted', async (t) => {
  const runDir = temporaryRunDir(t);
  const writer = createJournalWriter(runDir);
  writer.output('good');
  writeFileSync(writer.path, Buffer.alloc(64, 0x5a), { flag: 'a' });
  const { reader } = readerOn(t, runDir);
  const { last } = await collect(reader);
  assert.ok(last.kind === 'nothing' && last.damagedBytes === 64);
});
