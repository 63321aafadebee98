/*
 * Suggestions: near misses are found, wild guesses are not made.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { editsBetween, suggestNearest } from '../src/suggest-nearest.ts';

const names = ['run', 'ps', 'logs', 'attach', 'wait', 'kill', 'doctor'];

test('typing mistakes find their word', () => {
  assert.equal(suggestNearest('rnu', names), 'run');
  assert.equal(suggestNearest('atach', names), 'attach');
  assert.equal(suggestNearest('docotr', names), 'doctor');
  assert.equal(suggestNearest('log', names), 'logs');
});

test('something else is not guessed at', () => {
  assert.equal(suggestNearest('kubernetes', names), undefined);
  assert.equal(suggestNearest('xyz', names), undefined);
});

test('the distance is symmetric, zero only for the same, and one per swap', () => {
  const word = fc.string({ maxLength: 8 });
  fc.assert(
    fc.property(word, word, (left, right) => {
      assert.equal(editsBetween(left, right), editsBetween(right, left));
      assert.equal(editsBetween(left, right) === 0, left === right);
    }),
  );
  assert.equal(editsBetween('ab', 'ba'), 1);
});
