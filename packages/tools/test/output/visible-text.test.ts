/*
 * Text cut into rows: all of it is there.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { columnsOf, cutColumns } from '../../src/output/visible-text.ts';

test('a text that is cut into rows is all there, and no row is too wide', () => {
  assert.deepEqual(cutColumns('abcdef', 4), ['abcd', 'ef']);
  assert.deepEqual(cutColumns('日本語', 5), ['日本', '語']);
  assert.deepEqual(cutColumns('', 4), ['']);
  const note = '\u{1d158}\u{1d165}\u{1d16e}';
  assert.deepEqual(cutColumns(note, 2).join(''), note, 'one grapheme of three columns');
  assert.equal(cutColumns(note, 2).length, 2);
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 2, max: 20 }), (text, width) => {
      const rows = cutColumns(text, width);
      assert.equal(rows.join(''), text);
      for (const row of rows) assert.ok(columnsOf(row) <= width, JSON.stringify(row));
    }),
  );
});
