/*
 * The comment scanner that the rules rely on: what it blanks and what it leaves.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stripComments } from '../strip-comments.ts';

const cases: readonly (readonly [string, string, string])[] = [
  ['a line comment', 'a // b\nc', 'a     \nc'],
  ['a block over lines', 'a /* b\nc */ d', 'a     \n     d'],
  ['slashes in strings', `'//' "/*" \`//\``, `'//' "/*" \`//\``],
  ['an escaped quote', `'\\'//' // x`, `'\\'//'     `],
  ['a comment in inner code of a template', '`a${ b /* c */ }//` // d', '`a${ b         }//`     '],
  ['braces in inner code of a template', '`${ { a: `${1}` } }` // b', '`${ { a: `${1}` } }`     '],
  ['a regular expression', 'x = /[/*]\\//; // b', 'x = /[/*]\\//;     '],
  ['a regular expression after return', 'return /\\/*/ // b', 'return /\\/*/     '],
  ['a division', 'a / b / c // d', 'a / b / c     '],
  ['an unfinished comment', 'a /* b', 'a     '],
];

for (const [name, source, expected] of cases) {
  test(`comments are blanked: ${name}`, () => {
    assert.equal(stripComments(source), expected);
  });
}
