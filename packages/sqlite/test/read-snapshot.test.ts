/*
 * A database read as bytes: the same rows as SQLite itself would find, after any history of commits, checkpoints and crashes.
 */
import assert from 'node:assert/strict';
import { appendFileSync, copyFileSync, existsSync, readFileSync, truncateSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test, type TestContext } from 'node:test';
import { createSeededRandom } from '@clawdfather/testkit';
import { readSnapshot } from '../src/read-snapshot.ts';

interface Content {
  readonly rows: readonly unknown[];
  readonly check: unknown;
}

function contentOf(db: DatabaseSync): Content {
  return {
    rows: db.prepare('SELECT * FROM t ORDER BY id').all(),
    check: db.prepare('PRAGMA integrity_check').get()?.['integrity_check'],
  };
}

/* What SQLite makes of copies of the files, as after a crash at this moment. */
function recovered(file: string): Content {
  const copy = `${file}.copy`;
  for (const end of ['', '-wal']) {
    if (existsSync(`${file}${end}`)) copyFileSync(`${file}${end}`, `${copy}${end}`);
    else if (existsSync(`${copy}${end}`)) truncateSync(`${copy}${end}`);
  }
  using db = new DatabaseSync(copy);
  return contentOf(db);
}

function snapshot(file: string): Content {
  using db = new DatabaseSync(':memory:');
  db.deserialize(readSnapshot(file) ?? assert.fail('there is a file'));
  return contentOf(db);
}

async function tempDir(t: TestContext): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'clf-sqlite-'));
  t.after(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

async function openLogged(t: TestContext): Promise<{ file: string; db: DatabaseSync }> {
  const file = join(await tempDir(t), 'r.db');
  const db = new DatabaseSync(file);
  t.after(() => db.isOpen && db.close());
  db.exec('PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0');
  db.exec('CREATE TABLE t (id INTEGER PRIMARY KEY, text TEXT)');
  return { file, db };
}

test('any history of writes and checkpoints reads as SQLite reads it (seeded)', async (t) => {
  for (let seed = 1; seed <= 20; seed += 1) {
    const { file, db } = await openLogged(t);
    const random = createSeededRandom(seed);
    for (let step = 0; step < 40; step += 1) {
      const [action = 0, size = 0, id = 0] = random.bytes(3);
      const text = 'x'.repeat(size * 40);
      if (action < 150) db.prepare('INSERT INTO t (text) VALUES (?)').run(text);
      else if (action < 190) db.prepare('UPDATE t SET text = ? WHERE id % 8 = ?').run(text, id % 8);
      else if (action < 215) db.prepare('DELETE FROM t WHERE id % 4 = ?').run(id % 4);
      else if (action < 230) db.exec('PRAGMA wal_checkpoint(PASSIVE)');
      else if (action < 240) db.exec('PRAGMA wal_checkpoint(RESTART)');
      else if (action < 248) db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      else db.exec('VACUUM');
      if (step % 8 === 0)
        assert.deepEqual(snapshot(file), recovered(file), `seed ${seed}, ${step}`);
    }
    assert.equal(snapshot(file).check, 'ok');
    assert.deepEqual(snapshot(file), recovered(file), `seed ${seed}`);
    db.close();
    assert.deepEqual(snapshot(file), recovered(file), `seed ${seed}, closed`);
  }
});

test('a log that was cut or scribbled on counts up to its last whole commit', async (t) => {
  const { file, db } = await openLogged(t);
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  for (let count = 0; count < 12; count += 1) {
    db.prepare('INSERT INTO t (text) VALUES (?)').run(`${count}`.repeat(900));
  }
  const whole = readFileSync(`${file}-wal`).length;
  appendFileSync(`${file}-wal`, Buffer.alloc(5_000, 7));
  assert.deepEqual(snapshot(file), recovered(file));
  for (let bytes = whole; bytes > 0; bytes -= 3_001) {
    truncateSync(`${file}-wal`, bytes);
    assert.deepEqual(snapshot(file), recovered(file), `${bytes} bytes`);
  }
});

test('without a file there is nothing, and an empty one has no bytes', async (t) => {
  const file = join(await tempDir(t), 'r.db');
  assert.equal(readSnapshot(file), undefined);
  appendFileSync(file, '');
  assert.deepEqual(readSnapshot(file), Buffer.alloc(0));
});
