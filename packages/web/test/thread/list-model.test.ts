/*
 * Where the rows of a long list are.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createListModel } from '../../src/thread/list/list-model.ts';

const rowsOf = (...keys: readonly string[]) => keys.map((key) => ({ key, guessPx: 10 }));

test('rows stand one below the other, by their measured heights or by what is guessed', () => {
  const model = createListModel();
  model.setRows(rowsOf('a', 'b', 'c'));
  assert.deepEqual(model.measure('b', 30), { index: 1, px: 20, wasGuess: true });
  assert.deepEqual(
    [0, 1, 2, 3].map((index) => model.topOf(index)),
    [0, 10, 40, 50],
  );
  assert.deepEqual(
    [-5, 0, 9.9, 10, 39, 40, 49, 500].map((px) => model.indexAt(px)),
    [0, 0, 0, 1, 1, 2, 2, 2],
  );
});

test('a height that is known is not a guess any more, and the same height is no news', () => {
  const model = createListModel();
  model.setRows(rowsOf('a'));
  model.measure('a', 12);
  assert.equal(model.measure('a', 12.01), undefined);
  assert.deepEqual(model.measure('a', 10), { index: 0, px: -2, wasGuess: false });
  assert.equal(model.measure('gone', 10), undefined);
});

test('a row that comes back has the height that it had, wherever it stands then', () => {
  const model = createListModel();
  model.setRows(rowsOf('a', 'b'));
  model.measure('b', 99);
  model.setRows(rowsOf('a'));
  model.setRows(rowsOf('older', 'a', 'b', 'c'));
  assert.equal(model.heightOf(2), 99);
  assert.equal(model.indexOf('b'), 2);
  assert.equal(model.topOf(3), 119);
});
