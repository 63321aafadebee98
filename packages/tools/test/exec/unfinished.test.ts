/*
 * What is left unread at the end of output because more of it may come.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { unfinishedBytes } from '../../src/exec/unfinished.ts';
import { createTextCleaner } from '../../src/output/clean-text.ts';

const ESC = '\u001b';

const cases: readonly (readonly [string, string | Uint8Array, number])[] = [
  ['nothing', '', 0],
  ['plain text', 'abc', 0],
  ['a whole character', 'é', 0],
  ['half of two bytes', Uint8Array.of(0x61, 0xc3), 1],
  ['one of three', Uint8Array.of(0xe4), 1],
  ['two of three', Uint8Array.of(0xe4, 0xb8), 2],
  ['three of four', Uint8Array.of(0xf0, 0x9f, 0x98), 3],
  ['bytes that are no character', Uint8Array.of(0x80, 0x81, 0x82), 0],
  ['an impossible lead', Uint8Array.of(0xff), 0],
  ['a carriage return', 'abc\r', 1],
  ['a line end', 'abc\r\n', 0],
  ['a lone escape', `abc${ESC}`, 1],
  ['half a colour', `abc${ESC}[3`, 3],
  ['a whole colour', `abc${ESC}[31m`, 0],
  ['half a character set', `${ESC}(`, 2],
  ['a whole character set', `${ESC}(B`, 0],
  ['an open title', `abc${ESC}]0;title`, 9],
  ['a title ended by BEL', `${ESC}]0;title\u0007`, 0],
  ['a title whose end is half there', `abc${ESC}]0;title${ESC}`, 10],
  ['a title ended by ST', `${ESC}]0;title${ESC}\\`, 0],
  ['an open device string', `${ESC}Pq123`, 6],
  ['a title that was cancelled', `${ESC}]0;title\u0018abc`, 0],
];

for (const [name, given, expected] of cases) {
  test(`${name} leaves ${expected} bytes`, () => {
    const bytes = typeof given === 'string' ? Buffer.from(given) : given;
    assert.equal(unfinishedBytes(bytes), expected);
  });
}

const pieces = fc.array(
  fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 5 }),
    fc.constantFrom(
      '\n',
      '\r\n',
      `${ESC}[31m`,
      `${ESC}[0m`,
      `${ESC}]0;t\u0007`,
      `${ESC}]8;;x${ESC}\\`,
      `${ESC}(B`,
    ),
  ),
  { maxLength: 12 },
);

test('cut anywhere and read on from what was left, text comes out as if it was never cut', () => {
  fc.assert(
    fc.property(pieces, fc.array(fc.nat(200), { maxLength: 6 }), (given, cuts) => {
      const bytes = Buffer.from(given.join('').toWellFormed());
      const whole = clean(bytes);
      let from = 0;
      let text = '';
      for (const cut of [
        ...cuts.map((at) => Math.min(at, bytes.length)).toSorted((a, b) => a - b),
        bytes.length,
      ]) {
        if (cut < from) continue;
        const seen = bytes.subarray(from, cut);
        const isOver = cut === bytes.length;
        const read = seen.subarray(0, seen.length - (isOver ? 0 : unfinishedBytes(seen)));
        text += clean(read);
        from += read.length;
      }
      assert.equal(text, whole);
    }),
    { numRuns: 2_000 },
  );
});

function clean(bytes: Uint8Array): string {
  const cleaner = createTextCleaner();
  return cleaner.push(bytes) + cleaner.end();
}
