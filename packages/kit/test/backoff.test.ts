/*
 * Waiting times between attempts: how they grow, and how much chance takes away.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRandom } from '@clawdfather/kit';
import { backoffMs } from '@clawdfather/kit';

test('doubles from one second to thirty, and stays there', () => {
  const noJitter = createRandom((target) => target.fill(0));
  const waits = [0, 1, 2, 3, 4, 5, 6, 1000].map((attempt) => backoffMs(attempt, noJitter));
  assert.deepEqual(waits, [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
});

test('jitter takes away at most a fifth', () => {
  const mostJitter = createRandom((target) => target.fill(255));
  assert.equal(backoffMs(0, mostJitter), 800);
  assert.equal(backoffMs(9, mostJitter), 24_000);
});
