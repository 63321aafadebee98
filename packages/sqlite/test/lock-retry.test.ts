/*
 * Waiting for the lock of another process: how long, how often, and what ends it.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFakeClock, createSeededRandom } from '@clawdfather/testkit';
import { busyLimitMs, busyPauseMsMax } from '../src/limits.ts';
import { lockPauseMs, retryWhileLocked } from '../src/lock-retry.ts';
import { testErrors } from './test-errors.ts';

const failure = (errcode: number): Error => Object.assign(new Error('no'), { errcode });
const busy = failure(5);

function setUp() {
  const clock = createFakeClock();
  return { clock, waiting: { clock, random: createSeededRandom(1), errors: testErrors } };
}

test('opening is tried until the lock comes free', async () => {
  const { clock, waiting } = setUp();
  let isLocked = true;
  const opened = retryWhileLocked(waiting, () => {
    if (isLocked) throw busy;
    return 'open';
  });
  await clock.advance(1_000);
  isLocked = false;
  await clock.advance(busyPauseMsMax);
  assert.equal(await opened, 'open');
});

test('a lock that never comes free is told as that', async () => {
  const { clock, waiting } = setUp();
  const refused = assert.rejects(
    retryWhileLocked(waiting, () => {
      throw busy;
    }),
    { code: 'test-busy' },
  );
  await clock.advance(busyLimitMs + 2 * busyPauseMsMax);
  await refused;
});

test('another failure is not tried again', async () => {
  const { waiting } = setUp();
  let attempts = 0;
  const opened = retryWhileLocked(waiting, () => {
    attempts += 1;
    throw failure(26);
  });
  await assert.rejects(opened, { code: 'test-corrupt' });
  assert.equal(attempts, 1);
});

test('pauses grow, stay bounded and differ', () => {
  const random = createSeededRandom(3);
  const pauses = Array.from({ length: 40 }, (_, attempt) => lockPauseMs(attempt, random));
  assert.ok(pauses.every((pauseMs) => pauseMs > 0 && pauseMs <= busyPauseMsMax));
  assert.ok((pauses[0] ?? 0) < 2);
  assert.ok(new Set(pauses).size > 20);
});
