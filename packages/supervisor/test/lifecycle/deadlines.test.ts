/*
 * Watchdog deadline computation (document 001's unit tests; T5, C1, J4).
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deadlinesLeft } from '../../src/lifecycle/deadlines.ts';

const both = { overallMs: 10_000, noOutputMs: 3_000 };

test('the no-output deadline counts from the last output, the overall one from the start', () => {
  assert.deepEqual(deadlinesLeft(both, { sinceStartMs: 4_000, sinceOutputMs: 1_000 }), {
    overallMs: 6_000,
    noOutputMs: 2_000,
    next: { type: 'no-output', inMs: 2_000 },
  });
});

test('output re-arms the watchdog until the overall deadline comes first', () => {
  const left = deadlinesLeft(both, { sinceStartMs: 9_000, sinceOutputMs: 0 });
  assert.deepEqual(left.next, { type: 'overall', inMs: 1_000 });
});

test('a deadline that passed while nobody looked is due now, never negative', () => {
  const left = deadlinesLeft(both, { sinceStartMs: 50_000, sinceOutputMs: 50_000 });
  assert.deepEqual(left, { overallMs: 0, noOutputMs: 0, next: { type: 'overall', inMs: 0 } });
});

test('a clock that jumped back does not lengthen a deadline', () => {
  const left = deadlinesLeft(both, { sinceStartMs: -5_000, sinceOutputMs: -5_000 });
  assert.equal(left.overallMs, 10_000);
  assert.equal(left.noOutputMs, 3_000);
});

test('without deadlines there is nothing next', () => {
  const none = { overallMs: undefined, noOutputMs: undefined };
  assert.deepEqual(deadlinesLeft(none, { sinceStartMs: 1, sinceOutputMs: 1 }).next, undefined);
});

test('J4: while the disk is full only the overall deadline runs', () => {
  const elapsed = { sinceStartMs: 9_000, sinceOutputMs: 5_000, isBlocked: true };
  assert.deepEqual(deadlinesLeft(both, elapsed).next, { type: 'overall', inMs: 1_000 });
});
