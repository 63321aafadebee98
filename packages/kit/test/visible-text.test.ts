/*
 * What a person is shown of text that somebody else wrote: nothing in it can hide or move anything.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { makeLinesVisible, makeVisible } from '../src/visible-text.ts';

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

test('line ends stay where a text may have several lines; a carriage return is none', () => {
  assert.equal(makeLinesVisible('a\n\u202eb\r\n'), 'a\n\\u202eb\\r\n');
});
