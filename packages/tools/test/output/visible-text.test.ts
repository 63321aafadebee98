/*
 * What a person is shown of text that somebody else wrote: nothing in it can hide or move anything.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { columnsOf, cutColumns, makeVisible } from '../../src/output/visible-text.ts';

const table: readonly (readonly [name: string, text: string, visible: string])[] = [
  ['plain text', 'ls -l "a b" é 日本 😀', 'ls -l "a b" é 日本 😀'],
  ['line ends and tabs', 'a\nb\rc\td', 'a\\nb\\rc\\td'],
  ['escape sequences', 'a\u001b[2Jb', 'a\\x1b[2Jb'],
  ['C1', '\u009b2J', '\\x9b2J'],
  ['direction', 'a\u202eb\u2069', 'a\\u202eb\\u2069'],
  ['zero width', 'r\u200bm\u2060 \ufeff', 'r\\u200bm\\u2060 \\ufeff'],
  ['tags', '\u{e0072}\u{e006d}', '\\u{e0072}\\u{e006d}'],
  ['variation selectors', 'a\ufe0f\u{e0100}', 'a\\ufe0f\\u{e0100}'],
  ['spaces that are none', 'rm\u00a0-rf\u2003/\u3000', 'rm\\xa0-rf\\u2003/\\u3000'],
  ['letters that are blank', 'a\u3164b\u115fc\u2800', 'a\\u3164b\\u115fc\\u2800'],
  ['separators', 'a\u2028b\u2029', 'a\\u2028b\\u2029'],
  ['half a pair', 'a\ud800b', 'a\\ud800b'],
];

for (const [name, text, visible] of table) {
  test(`shown: ${name}`, () => assert.equal(makeVisible(text), visible));
}

test('what is shown has no control, no format character and no space but the space', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      assert.doesNotMatch(makeVisible(text), /(?! )[\p{Cc}\p{Cf}\p{Cs}\p{Z}]/u);
    }),
  );
});

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
