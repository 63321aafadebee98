/*
 * The last part of a long text: as much as asked for, no half character, and in bounded memory.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createCappedText } from '../../src/output/capped-text.ts';
import { heapGrowthBytes } from './heap-growth.ts';

test('a short text is whole', () => {
  const capped = createCappedText({ charactersMax: 10 });
  capped.push('hello ', 'c0');
  capped.push('you', 'c1');
  assert.deepEqual(capped.result(), {
    text: 'hello you',
    droppedCharacters: 0,
    droppedFrom: undefined,
  });
});

test('of a long text the end is kept, and where the rest begins', () => {
  const capped = createCappedText({ charactersMax: 5 });
  capped.push('abc', 'c0');
  capped.push('defgh', 'c1');
  assert.deepEqual(capped.result(), { text: 'defgh', droppedCharacters: 3, droppedFrom: 'c0' });
  capped.push('i', 'c2');
  assert.deepEqual(capped.result(), { text: 'efghi', droppedCharacters: 4, droppedFrom: 'c0' });
});

test('a pair of surrogates is dropped whole', () => {
  const capped = createCappedText({ charactersMax: 4 });
  capped.push('a😀bcd', 'c0');
  assert.deepEqual(capped.result(), { text: 'bcd', droppedCharacters: 3, droppedFrom: 'c0' });
});

test('nothing is nothing', () => {
  const capped = createCappedText({ charactersMax: 4 });
  assert.deepEqual(capped.result(), { text: '', droppedCharacters: 0, droppedFrom: undefined });
});

test('it is the end of what was pushed, however it was pushed', () => {
  const pieces = fc.array(fc.string({ unit: 'grapheme', maxLength: 12 }));
  fc.assert(
    fc.property(pieces, fc.integer({ min: 1, max: 20 }), (texts, charactersMax) => {
      const capped = createCappedText({ charactersMax });
      for (const [at, text] of texts.entries()) capped.push(text, `c${at}`);
      const whole = texts.join('');
      const { text, droppedCharacters, droppedFrom } = capped.result();
      assert.equal(whole.slice(droppedCharacters), text);
      assert.ok(
        text.length <= charactersMax && text.length >= Math.min(whole.length, charactersMax) - 1,
      );
      assert.ok(!/^[\udc00-\udfff]/.test(text) || /^[\udc00-\udfff]/.test(whole));
      assert.equal(droppedFrom, droppedCharacters > 0 ? 'c0' : undefined);
    }),
  );
});

test('a hundred megabytes leave no more behind than what is kept', async () => {
  const capped = createCappedText({ charactersMax: 200_000 });
  const grownBytes = await heapGrowthBytes(() => {
    const piece = 'x'.repeat(64 * 1_024);
    for (let at = 0; at < 1_600; at += 1) capped.push(`${piece}${at}`, `c${at}`);
  });
  assert.ok(grownBytes < 5_000_000, `${grownBytes}`);
  assert.equal(capped.result().text.length, 200_000);
});
