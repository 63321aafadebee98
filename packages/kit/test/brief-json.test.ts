/*
 * However large a value is, its brief is small, and small ones are as they are.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { briefJson } from '@clawdfather/kit';

const limits = { textMax: 100, charactersMax: 1_000 };

test('a small value is as it is', () => {
  const value = { title: 'ls', content: [{ text: 'x'.repeat(100) }], none: null, n: 1, is: true };
  assert.deepEqual(briefJson(value, limits), value);
});

test('a long text keeps its beginning, and no half character', () => {
  const { text } = briefJson({ text: `${'x'.repeat(99)}😀${'y'.repeat(1_000_000)}` }, limits);
  assert.equal(text, 'x'.repeat(99));
});

test('whatever is in it, it is small', () => {
  const text = fc.oneof(
    fc.string(),
    fc.nat(5_000).map((length) => 'z'.repeat(length)),
  );
  const value = fc.letrec((tie) => ({
    value: fc.oneof({ maxDepth: 6 }, text, fc.double(), tie('list'), tie('object')),
    list: fc.array(tie('value'), { maxLength: 200 }),
    object: fc.dictionary(text, tie('value'), { maxKeys: 100 }),
  })).value;
  fc.assert(
    fc.property(value, (one) => {
      // Escapes make up to six characters of one, and members that are left empty some more.
      assert.ok(JSON.stringify(briefJson(one, limits)).length < 12_000);
    }),
  );
});

test('a value of ten thousand levels and one of a million members are small, too', () => {
  let deep: unknown = 1;
  for (let level = 0; level < 10_000; level += 1) deep = { deep };
  assert.ok(JSON.stringify(briefJson(deep, limits)).length < 500);
  const wide = Object.fromEntries(Array.from({ length: 1_000_000 }, (_, index) => [index, index]));
  assert.ok(JSON.stringify(briefJson(wide, limits)).length < 2_000);
});
