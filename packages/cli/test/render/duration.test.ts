/*
 * Durations, ages and sizes at their edges.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatBytes } from '../../src/render/bytes.ts';
import { formatAge, formatDuration, formatInstant } from '../../src/render/duration.ts';

test('durations keep two units and never round up into the next one', () => {
  const cases: readonly [number, string][] = [
    [0, '0ms'],
    [999, '999ms'],
    [1_000, '1.0s'],
    [9_990, '9.9s'],
    [59_999, '59s'],
    [60_000, '1m'],
    [192_000, '3m12s'],
    [3_599_999, '59m59s'],
    [3_600_000, '1h'],
    [18_180_000, '5h3m'],
    [187_200_000, '2d4h'],
    [-5, '0ms'],
  ];
  for (const [ms, text] of cases) assert.equal(formatDuration(ms), text, String(ms));
});

test('ages; a clock that was set back is not a negative age', () => {
  assert.equal(formatAge(10_000, 9_500), 'just now');
  assert.equal(formatAge(10_000, 20_000), 'just now');
  assert.equal(formatAge(70_000, 0), '1m ago');
  assert.equal(formatAge(90_000_000, 0), '1d ago');
});

test('instants are UTC with milliseconds', () => {
  assert.equal(formatInstant(0), '1970-01-01T00:00:00.000Z');
});

test('sizes', () => {
  const cases: readonly [number, string][] = [
    [0, '0B'],
    [812, '812B'],
    [1_536, '1.5K'],
    [1_024, '1K'],
    [64 * 2 ** 20, '64M'],
    [1_048_575, '1M'],
    [5 * 2 ** 40, '5T'],
  ];
  for (const [bytes, text] of cases) assert.equal(formatBytes(bytes), text, String(bytes));
});
