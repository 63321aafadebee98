/*
 * Rows and values between SQLite and us.
 */
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { namedColumnsMax } from '../src/limits.ts';
import { createStatements } from '../src/statements.ts';

function openNotes(): DatabaseSync {
  const db = new DatabaseSync(':memory:');
  db.exec('CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT)');
  return db;
}

test('rows have their columns by name, and undefined is written as NULL', () => {
  using db = openNotes();
  const { run, one, all } = createStatements(db);
  assert.equal(run('INSERT INTO notes (text) VALUES (?), (?)', ['a', undefined]), 2);
  const first = { id: 1, text: 'a' };
  assert.deepEqual(one('SELECT * FROM notes WHERE id = ?', [1]), first);
  assert.deepEqual(all('SELECT * FROM notes'), [first, { id: 2, text: null }]);
  assert.equal(one('SELECT * FROM notes WHERE id = ?', [3]), undefined);
  assert.deepEqual(all('SELECT * FROM notes WHERE id = ?', [3]), []);
});

test('a query gives rows, or how many were changed', () => {
  using db = openNotes();
  const { query } = createStatements(db);
  const insert = 'INSERT INTO notes (text) VALUES (?)';
  assert.deepEqual(query(insert, ['a']), { rows: [], changes: 1 });
  assert.deepEqual(query(`${insert} RETURNING id`, ['b']), {
    rows: [{ id: 2 }],
    changes: undefined,
  });
});

test('what changes something is counted as a write, however it is run', () => {
  using db = openNotes();
  const { run, one, all, query, writes } = createStatements(db);
  const insert = 'INSERT INTO notes (text) VALUES (?)';
  run(insert, ['a']);
  one(`${insert} RETURNING id`, ['b']);
  all(`${insert} RETURNING id`, ['c']);
  query(insert, ['d']);
  query(`${insert} RETURNING id`, ['e']);
  assert.equal(writes(), 5);
  one('SELECT * FROM notes');
  all('SELECT * FROM notes');
  query('SELECT * FROM notes', []);
  run('UPDATE notes SET text = ? WHERE id = ?', ['x', 99]);
  one('UPDATE notes SET text = ? WHERE id = ? RETURNING id', ['x', 99]);
  assert.equal(writes(), 5, 'these change nothing');
});

test('a column that was added meanwhile is named too', () => {
  using db = openNotes();
  const { one, all } = createStatements(db);
  const select = 'SELECT * FROM notes';
  db.exec(`INSERT INTO notes (text) VALUES ('a')`);
  assert.deepEqual(one(select), { id: 1, text: 'a' });
  db.exec(`ALTER TABLE notes ADD COLUMN colour TEXT DEFAULT 'red'`);
  assert.deepEqual(one(select), { id: 1, text: 'a', colour: 'red' });
  assert.deepEqual(all(select), [{ id: 1, text: 'a', colour: 'red' }]);
});

test('rows of many columns are the same to their reader', () => {
  using db = new DatabaseSync(':memory:');
  const { one, all } = createStatements(db);
  for (const width of [namedColumnsMax, namedColumnsMax + 1]) {
    const names = Array.from({ length: width }, (_, index) => `c${index}`);
    const select = `SELECT ${names.map((name, index) => `${index} AS ${name}`).join(', ')}`;
    const expected = Object.fromEntries(names.map((name, index) => [name, index]));
    assert.deepEqual({ ...one(select) }, expected);
    assert.deepEqual({ ...all(select)[0] }, expected);
  }
});
