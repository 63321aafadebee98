/*
 * What SQLite's codes mean to us, and which of them end a transaction.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isFatalToTransaction, sqliteFailureOf } from '../src/failures.ts';

const errorOf = (errcode: number): Error => Object.assign(new Error('no'), { errcode });

/* Each with an extended code of its kind, where there is one that matters. */
const cases = [
  { kind: 'busy', codes: [5, 6, 261, 517], isFatal: true },
  { kind: 'closed', codes: [3, 8, 14, 1_544], isFatal: false },
  { kind: 'constraint', codes: [19, 1_811, 2_067], isFatal: false },
  { kind: 'corrupt', codes: [11, 26, 267], isFatal: true },
  { kind: 'full', codes: [13, 778], isFatal: true },
  { kind: 'io', codes: [10, 266, 4_874], isFatal: true },
  { kind: 'other', codes: [1, 20], isFatal: false },
] as const;

for (const { kind, codes, isFatal } of cases) {
  test(`${kind}, which ${isFatal ? 'ends' : 'does not end'} a transaction`, () => {
    for (const code of codes) {
      assert.equal(sqliteFailureOf(errorOf(code)), kind, `code ${code}`);
      assert.equal(isFatalToTransaction(errorOf(code)), isFatal, `code ${code}`);
    }
  });
}

test('an error that is not from SQLite has no kind and ends nothing', () => {
  for (const error of [new Error('no'), errorOf(Number.NaN).message, undefined]) {
    assert.equal(sqliteFailureOf(error), undefined);
    assert.equal(isFatalToTransaction(error), false);
  }
});
