/*
 * The order of a queue: turns are moved without touching others, as often as there is room.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareSpots, keyAfter, type QueueSpot, spotAfter, spotBefore } from '@clawdfather/agents';
import fc from 'fast-check';

test('whatever is moved stands where it was moved to, and nothing else moves', () => {
  const moves = fc.array(fc.tuple(fc.nat(9), fc.option(fc.nat(9), { nil: null })), {
    maxLength: 20,
  });
  const priorities = fc.array(fc.integer({ min: -1, max: 1 }), { minLength: 2, maxLength: 10 });
  fc.assert(
    fc.property(priorities, moves, (given, steps) => {
      let key = 0;
      let queue = given
        .map((priority, id) => {
          key = keyAfter(key);
          return { id, priority, queueKey: key };
        })
        .toSorted(compareSpots);
      for (const [from, to] of steps) {
        const moved = queue[from % queue.length]!;
        const target = to === null ? null : queue[to % queue.length]!;
        if (target === moved) continue;
        const others = queue.filter((one) => one !== moved);
        const spot = target === null ? spotAfter(others.at(-1)!) : beside(others, target);
        // After some thirty moves into one gap there is no room left.
        if (spot === undefined) continue;
        const expected = target === null ? others.length : others.indexOf(target);
        queue = [...others, { id: moved.id, ...spot }].toSorted(compareSpots);
        assert.equal(
          queue.findIndex(({ id }) => id === moved.id),
          expected,
        );
        assert.deepEqual(
          queue.filter(({ id }) => id !== moved.id),
          others,
        );
      }
    }),
  );
});

function beside(
  others: readonly (QueueSpot & { readonly id: number })[],
  target: QueueSpot,
): QueueSpot | undefined {
  const before = others.findLast(
    (one) => one.priority === target.priority && one.queueKey < target.queueKey,
  );
  return spotBefore(target, before);
}

test('thirty moves into the same gap have room, and then one is refused', () => {
  const target = { priority: 0, queueKey: keyAfter(keyAfter(0)) };
  let ahead: QueueSpot = { priority: 0, queueKey: keyAfter(0) };
  let moves = 0;
  for (;;) {
    const spot = spotBefore(target, ahead);
    if (spot === undefined) break;
    assert.ok(compareSpots(ahead, spot) < 0 && compareSpots(spot, target) < 0);
    ahead = spot;
    moves += 1;
  }
  assert.equal(moves, 32);
});

test('keys stay whole numbers, also near the end of them', () => {
  let key = Number.MAX_SAFE_INTEGER - 2 ** 33;
  for (let count = 0; count < 40; count += 1) {
    const next = keyAfter(key);
    assert.ok(next > key);
    key = next;
    if (key >= Number.MAX_SAFE_INTEGER - 1) break;
    assert.ok(Number.isSafeInteger(key));
  }
});
