/*
 * The registry is looked at whenever that is wanted, one look at a time, and none that is wanted is forgotten.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFakeClock } from '@clawdfather/testkit';
import { createFollower } from '../../src/feed/follower.ts';

const settle = async (): Promise<void> => {
  for (let turns = 0; turns < 100; turns += 1) await Promise.resolve();
};

test('a look that is wanted in the moment that another one ends is made, and not only when its time comes', async () => {
  // However many steps of the event loop the other one is away from its end.
  for (let steps = 0; steps < 40; steps += 1) {
    let looks = 0;
    await using follower = createFollower({
      clock: createFakeClock(),
      work: async () => {
        looks += 1;
      },
      onFailed: assert.ifError,
      everyMs: 15_000,
    });
    follower.look();
    for (let step = 0; step < steps; step += 1) await Promise.resolve();
    const before = looks;
    follower.look();
    await settle();
    assert.ok(looks > before, `after ${steps} steps`);
  }
});

test('a look that fails is told of and made again soon', async () => {
  const clock = createFakeClock();
  const failures: unknown[] = [];
  let looks = 0;
  await using follower = createFollower({
    clock,
    work: async () => {
      looks += 1;
      if (looks === 1) throw new Error('the disk is full');
    },
    onFailed: (error) => failures.push(error),
    everyMs: 60_000,
  });
  follower.look();
  await settle();
  assert.deepEqual([looks, failures.length], [1, 1]);
  await clock.advance(5_000);
  await settle();
  assert.equal(looks, 2);
});
