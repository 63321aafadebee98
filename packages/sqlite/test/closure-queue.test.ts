/*
 * Group commit: how many transactions, whose failure is whose, and what happens
 * when the lock does not come (Q1 to Q4 of commit-queue.ts).
 */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { createFakeClock, createSeededRandom } from '@clawdfather/testkit';
import { createClosureQueue } from '../src/closure-queue.ts';
import { busyLimitMs, busyPauseMsMax, closuresPerCommitMax } from '../src/limits.ts';
import { createStatements } from '../src/statements.ts';
import { testErrors } from './test-errors.ts';

async function openQueue(t: TestContext) {
  const directory = await mkdtemp(join(tmpdir(), 'clf-sqlite-'));
  t.after(() => rm(directory, { recursive: true }));
  const file = join(directory, 'queue.db');
  const open = (): DatabaseSync => {
    const opened = new DatabaseSync(file, { timeout: 0 });
    t.after(() => opened.close());
    return opened;
  };
  const db = open();
  db.exec(
    'PRAGMA journal_mode = WAL; CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT UNIQUE)',
  );
  const clock = createFakeClock();
  const statements = createStatements(db);
  let commits = 0;
  const queue = createClosureQueue({
    statements,
    errors: testErrors,
    clock,
    random: createSeededRandom(1),
    onCommit: () => {
      commits += 1;
    },
  });
  return {
    open,
    clock,
    queue,
    statements,
    commits: () => commits,
    note: (text: string) => queue.write(() => statements.run(insertSql, [text])),
    notes: () =>
      db
        .prepare('SELECT text FROM notes ORDER BY id')
        .all()
        .map((row) => row['text']),
  };
}

const insertSql = 'INSERT INTO notes (text) VALUES (?)';

test('what is queued in one turn is one commit, in order', async (t) => {
  const { note, notes, commits } = await openQueue(t);
  const texts = Array.from({ length: 32 }, (_, index) => `note ${index}`);
  await Promise.all(texts.map(note));
  assert.equal(commits(), 1);
  assert.deepEqual(notes(), texts);
});

test('a huge batch is cut, so that the loop gets its turn', async (t) => {
  const { note, commits } = await openQueue(t);
  await Promise.all(
    Array.from({ length: 3 * closuresPerCommitMax }, (_, index) => note(`${index}`)),
  );
  assert.equal(commits(), 3);
});

test('a closure that throws is rejected alone, whatever it did before', async (t) => {
  const { note, notes, queue, statements, commits } = await openQueue(t);
  const changedThenFailed = queue.write(() => {
    statements.run(insertSql, ['half']);
    throw new Error('second thoughts');
  });
  const failedAtOnce = queue.write(() => {
    throw new Error('no');
  });
  const broken = note('one');
  const results = await Promise.allSettled([
    note('two'),
    changedThenFailed,
    failedAtOnce,
    note('one'),
    note('three'),
    broken,
  ]);
  assert.deepEqual(
    results.map(({ status }) => status),
    ['fulfilled', 'rejected', 'rejected', 'rejected', 'fulfilled', 'fulfilled'],
  );
  assert.deepEqual(notes(), ['one', 'two', 'three']);
  assert.equal(commits(), 1);
});

test('a change that came with RETURNING is undone with the closure that made it', async (t) => {
  const { note, notes, queue, statements } = await openQueue(t);
  const failed = queue.write(() => {
    assert.equal(statements.one(`${insertSql} RETURNING text`, ['half'])?.['text'], 'half');
    throw new Error('second thoughts');
  });
  const results = await Promise.allSettled([note('one'), failed, note('two')]);
  assert.deepEqual(
    results.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  );
  assert.deepEqual(notes(), ['one', 'two']);
});

test('Q3: a full disk rejects the batch, loses nothing that was there, and is not for ever', async (t) => {
  const { note, notes, statements } = await openQueue(t);
  await note('before');
  const { page_count: pages } = statements.one('PRAGMA page_count') ?? {};
  statements.one(`PRAGMA max_page_count = ${Number(pages)}`);
  const results = await Promise.allSettled([note('small'), note('x'.repeat(100_000))]);
  for (const result of results) {
    assert.equal(result.status === 'rejected' && result.reason.code, 'test-full');
  }
  assert.deepEqual(notes(), ['before']);
  statements.one('PRAGMA max_page_count = 1000000');
  await note('after');
  assert.deepEqual(notes(), ['before', 'after']);
});

test('while another process holds the lock writes wait, and go through when it lets go', async (t) => {
  const { open, clock, note, notes } = await openQueue(t);
  const other = open();
  other.exec('BEGIN IMMEDIATE');
  const written = note('patient');
  await clock.advance(1_000);
  assert.deepEqual(notes(), []);
  other.exec('COMMIT');
  await clock.advance(busyPauseMsMax);
  await written;
  assert.deepEqual(notes(), ['patient']);
});

test('a lock that never comes free is refused as busy, for each write in its own time', async (t) => {
  const { open, clock, note, notes } = await openQueue(t);
  const other = open();
  other.exec('BEGIN IMMEDIATE');
  const early = note('early').catch((error: unknown) => error);
  await clock.advance(busyLimitMs - 1_000);
  const late = note('late');
  await clock.advance(2_000);
  assert.equal(((await early) as { code: string }).code, 'test-busy');
  other.exec('COMMIT');
  await clock.advance(busyPauseMsMax);
  await late;
  assert.deepEqual(notes(), ['late']);
});

test('closing settles what is queued and refuses the rest', async (t) => {
  const { note, notes, queue } = await openQueue(t);
  const last = note('last');
  const closed = queue.close();
  await assert.rejects(note('too late'), { code: 'test-closed' });
  await Promise.all([last, closed]);
  assert.deepEqual(notes(), ['last']);
});

test('held writes go through after the pause', async (t) => {
  const { note, notes, queue } = await openQueue(t);
  queue.pause();
  const written = note('held');
  await new Promise((resolve) => setImmediate(resolve));
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(notes(), []);
  queue.resume();
  await written;
  assert.deepEqual(notes(), ['held']);
});

test('any mix of good and bad closures leaves exactly the good ones (seeded)', async (t) => {
  const { note, notes, queue, statements } = await openQueue(t);
  const random = createSeededRandom(7);
  const kept: string[] = [];
  for (let round = 0; round < 60; round += 1) {
    const writes = Array.from({ length: 12 }, (_, index) => {
      const text = `${round}.${index}`;
      const [kind = 0] = random.bytes(1);
      if (kind % 4 !== 0) {
        kept.push(text);
        return note(text);
      }
      return queue.write(() => {
        if (kind % 8 === 0) statements.run(insertSql, [`bad ${text}`]);
        throw new Error('bad');
      });
    });
    await Promise.allSettled(writes);
  }
  assert.deepEqual(notes(), kept);
});
