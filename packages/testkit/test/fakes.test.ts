/*
 * The fakes keep the promises of the ports that they stand in for.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isId } from '@clawdfather/kit';
import { createFakeClock, createHurryingClock, createSeededRandom } from '@clawdfather/testkit';

test('fake timers fire in order of time, then of creation', async () => {
  const clock = createFakeClock();
  const fired: string[] = [];
  clock.timer(20, () => fired.push('b'));
  clock.timer(10, () => fired.push('a'));
  clock.timer(20, () => fired.push('c'));
  clock.timer(30, () => fired.push('late'));
  clock.timer(5, () => fired.push('cancelled')).cancel();
  await clock.advance(20);
  assert.deepEqual(fired, ['a', 'b', 'c']);
  assert.equal(clock.pendingTimers, 1);
});

test('a chain of sleeps advances step by step within one call', async () => {
  const clock = createFakeClock();
  const times: number[] = [];
  const chain = (async () => {
    for (let round = 0; round < 3; round += 1) {
      await clock.sleep(10);
      times.push(clock.monotonicMs());
    }
  })();
  await clock.advance(30);
  await chain;
  assert.deepEqual(times, [10, 20, 30]);
});

test('an aborted sleep leaves no timer', async () => {
  const clock = createFakeClock();
  const controller = new AbortController();
  const slept = clock.sleep(10, controller.signal);
  controller.abort(new Error('stop'));
  await assert.rejects(slept, /stop/);
  assert.equal(clock.pendingTimers, 0);
});

test('a jump of the wall clock fires nothing and leaves monotonic time alone', async () => {
  const clock = createFakeClock(1_000);
  let isFired = false;
  clock.timer(10, () => {
    isFired = true;
  });
  clock.jumpWall(9_000_000);
  await clock.advance(5);
  assert.equal(clock.wallMs(), 9_000_005);
  assert.equal(clock.monotonicMs(), 5);
  assert.equal(isFired, false);
});

test('a clock that hurries has no jump, and what is pending follows its pace in order', async () => {
  const clock = createHurryingClock();
  const fired: string[] = [];
  clock.timer(3_600_000, () => fired.push('an hour'));
  clock.timer(3_599_999, () => fired.push('just before'));
  clock.timer(1_800_000, () => fired.push('cancelled')).cancel();
  const hour = clock.sleep(3_600_000);
  const before = { ms: clock.monotonicMs(), wallMs: clock.wallMs() };
  clock.hurry(1_000_000);
  await hour;
  clock.hurry(1);
  assert.deepEqual(fired, ['just before', 'an hour']);
  const after = { ms: clock.monotonicMs(), wallMs: clock.wallMs() };
  assert.ok(after.ms - before.ms >= 3_599_000);
  assert.ok(after.wallMs - before.wallMs >= 3_599_000);
  clock.hurry(2);
  assert.ok(clock.monotonicMs() >= after.ms, 'it never goes back');
});

test('a seed repeats its ids and another seed does not', () => {
  const ids = (seed: number) => {
    const random = createSeededRandom(seed);
    return [random.id(), random.id()];
  };
  assert.deepEqual(ids(1), ids(1));
  assert.notDeepEqual(ids(1), ids(2));
  assert.ok(ids(1).every(isId));
});
