/*
 * Turns on the event loop: who asks seldom goes on at once, who asks without a break waits behind itself, and nobody waits for ever.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { parseAccountId } from '@clawdfather/store';
import { createFakeClock } from '@clawdfather/testkit';
import { createFairTurns, type FairTurns } from '../../src/accounts/fair-turns.ts';

const busy = { accountId: parseAccountId('a'.repeat(16)), kind: 'device' } as const;
const other = { accountId: parseAccountId('b'.repeat(16)), kind: 'device' } as const;
const token = { ...busy, kind: 'token' } as const;
const underWayMax = 6;

const manyOf = (turns: FairTurns, count: number) =>
  Array.from({ length: count }, () => turns.enter(busy));

async function untilCome(come: Promise<void> | undefined): Promise<void> {
  let isThere = come === undefined;
  void come?.then(() => {
    isThere = true;
  });
  for (let turn = 0; turn < 100 && !isThere; turn += 1) await setImmediate();
  assert.ok(isThere, 'it never got its turn');
}

test('a line that is full waits, another line and the tokens of the same account do not', async () => {
  const turns = createFairTurns(createFakeClock());
  const first = manyOf(turns, underWayMax);
  assert.ok(first.every(({ come }) => come === undefined));
  const [next, last] = manyOf(turns, 2);
  assert.ok(next?.come !== undefined && last?.come !== undefined);
  assert.equal(turns.enter(other).come, undefined);
  assert.equal(turns.enter(token).come, undefined);
  first[0]?.leave();
  await untilCome(next.come);
  last.leave();
  for (const turn of first) turn.leave();
  next.leave();
  await setImmediate();
  assert.equal(turns.enter(busy).come, undefined, 'there is room again');
});

test('when the time of a turn is up a line waits for the next, and another still goes on', async () => {
  let nowMs = 0;
  const clock = { ...createFakeClock(), monotonicMs: () => nowMs };
  const turns = createFairTurns(clock);
  turns.enter(busy).leave();
  nowMs = 5;
  const late = turns.enter(busy);
  assert.notEqual(late.come, undefined);
  assert.equal(turns.enter(other).come, undefined);
  await untilCome(late.come);
});

test('where everything under way is stuck, the next one goes on all the same', async () => {
  const clock = createFakeClock();
  const turns = createFairTurns(clock);
  manyOf(turns, underWayMax);
  const [next] = manyOf(turns, 1);
  await setImmediate();
  await clock.advance(100);
  await untilCome(next?.come);
});

test('a line rests after a large body while others are there, and not while it is alone', async () => {
  const clock = createFakeClock();
  const turns = createFairTurns(clock);
  turns.enter(other).leave();
  const large = turns.enter(busy, 1_000_000);
  await setImmediate();
  const resting = turns.enter(busy);
  assert.notEqual(resting.come, undefined);
  assert.equal(turns.enter(other).come, undefined);
  await clock.advance(60);
  large.leave();
  await untilCome(resting.come);
  resting.leave();
  await clock.advance(2_000);
  await setImmediate();
  turns.enter(busy, 1_000_000).leave();
  await setImmediate();
  assert.equal(turns.enter(busy).come, undefined, 'nobody else was there for a second');
});

test('long work in pieces goes on while its line is full, and before what waits there', async () => {
  const turns = createFairTurns(createFakeClock());
  manyOf(turns, underWayMax);
  const [waits] = manyOf(turns, 1);
  let isNext = false;
  void waits?.come?.then(() => {
    isNext = true;
  });
  await untilCome(turns.goOn(busy));
  assert.equal(isNext, false);
});
