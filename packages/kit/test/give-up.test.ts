/*
 * Giving up on a promise: by a signal or after a time, with nothing left behind.
 */
import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import {
  abortWith,
  type Clock,
  createSystemClock,
  onAbort,
  orAborted,
  startTimeLimit,
  unlessAborted,
  within,
} from '../src/index.ts';

const never = new Promise<never>(() => {});

/* Time that passes when it is told to. */
function createHandClock() {
  let nowMs = 0;
  const timers = new Map<() => void, number>();
  const clock: Clock = {
    ...createSystemClock(),
    monotonicMs: () => nowMs,
    timer: (ms, fire) => {
      timers.set(fire, nowMs + ms);
      return { cancel: () => void timers.delete(fire), unref: () => {} };
    },
  };
  const pass = (ms: number): void => {
    nowMs += ms;
    for (const [fire, atMs] of timers) if (atMs <= nowMs && timers.delete(fire)) fire();
  };
  return { clock, pass, timers };
}

test('what settles first is told, and nobody listens on', async () => {
  const { signal } = new AbortController();
  const failed = new Error('it failed');
  assert.equal(await orAborted(Promise.resolve(1), signal), 1);
  assert.equal(await unlessAborted(Promise.resolve(1), signal), 1);
  await assert.rejects(orAborted(Promise.reject(failed), signal), failed);
  await assert.rejects(unlessAborted(Promise.reject(failed), signal), failed);
  assert.equal(getEventListeners(signal, 'abort').length, 0);
});

test('an abort before or while waiting gives up', async () => {
  const reason = new Error('enough');
  const late = new AbortController();
  const waits = [orAborted(never, late.signal), unlessAborted(never, late.signal)] as const;
  late.abort(reason);
  await assert.rejects(waits[0], reason);
  assert.equal(await waits[1], undefined);
  await assert.rejects(orAborted(never, late.signal), reason);
  assert.equal(await unlessAborted(never, late.signal), undefined);
});

test('what was given up may fail unheard', async () => {
  const { promise, reject } = Promise.withResolvers<void>();
  assert.equal(await unlessAborted(promise, AbortSignal.abort()), undefined);
  reject(new Error('late'));
  await new Promise(setImmediate);
});

test('after a time the answer is what the limit says, and the timer is gone either way', async () => {
  const { clock, pass, timers } = createHandClock();
  assert.equal(await within(Promise.resolve(1), { clock, ms: 10, late: () => 2 }), 1);
  assert.equal(timers.size, 0);
  const waiting = within(never, { clock, ms: 10, late: () => 2 });
  pass(10);
  assert.equal(await waiting, 2);
  const late = (): never => {
    throw new Error('too late');
  };
  const failing = within(never, { clock, ms: 10, late });
  pass(10);
  await assert.rejects(failing, /too late/);
  assert.equal(timers.size, 0);
});

test('a listener is called once, at once for a signal that has aborted, and never when it was stopped', () => {
  let calls = 0;
  const count = (): void => void (calls += 1);
  const controller = new AbortController();
  onAbort(controller.signal, count)();
  onAbort(controller.signal, count);
  controller.abort();
  assert.equal(calls, 1);
  onAbort(controller.signal, count);
  assert.equal(calls, 2);
});

test('an inner controller aborts with the outer signal, for its reason, and gathers no listeners on one that lives long', () => {
  const outer = new AbortController();
  for (let count = 0; count < 3; count += 1) abortWith(outer.signal, new AbortController())();
  assert.equal(getEventListeners(outer.signal, 'abort').length, 0);
  const [before, after] = [new AbortController(), new AbortController()];
  abortWith(outer.signal, before);
  abortWith(undefined, after)();
  const reason = new Error('enough');
  outer.abort(reason);
  assert.equal(before.signal.reason, reason);
  assert.equal(after.signal.aborted, false);
  abortWith(outer.signal, after);
  assert.equal(after.signal.reason, reason);
});

test('a time limit aborts at its time or with an outer signal, and says which', () => {
  const { clock, pass, timers } = createHandClock();
  const outer = new AbortController();
  using timed = startTimeLimit(clock, 10, [outer.signal]);
  pass(10);
  assert.deepEqual([timed.signal.aborted, timed.isPast], [true, true]);
  {
    using cut = startTimeLimit(clock, 10, [outer.signal]);
    outer.abort(new Error('left'));
    assert.deepEqual([cut.signal.aborted, cut.isPast], [true, false]);
    assert.match(String(cut.signal.reason), /left/);
  }
  assert.equal(timers.size, 0);
});
