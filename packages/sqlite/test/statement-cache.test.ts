/*
 * Which statements stay prepared: as many as may, and those that were used last.
 */
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { statementsCachedMax } from '../src/limits.ts';
import { createStatements } from '../src/statements.ts';

const sqlOf = (number: number): string => `SELECT ${number} AS value`;

test('of too many statements the one goes that was not used for longest', () => {
  using db = new DatabaseSync(':memory:');
  const prepared: string[] = [];
  const prepare = db.prepare.bind(db);
  db.prepare = (sql, ...rest) => {
    prepared.push(sql);
    return prepare(sql, ...rest);
  };
  const statements = createStatements(db);
  const run = (number: number): void =>
    assert.deepEqual(statements.one(sqlOf(number)), { value: number });

  for (let number = 0; number < statementsCachedMax; number += 1) run(number);
  assert.equal(prepared.length, statementsCachedMax);
  // The first was prepared first, and is used once more; so the second is the oldest.
  run(0);
  run(statementsCachedMax);
  prepared.length = 0;
  for (const number of [0, 2, statementsCachedMax]) run(number);
  assert.deepEqual(prepared, [], 'these are still there');
  run(1);
  assert.deepEqual(prepared, [sqlOf(1)]);
});
