/*
 * The bell: no lost wake-up, one wake for many rings, no waiter left behind by an abort.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSignalBell, deferred } from '@clawdfather/kit';

test('a ring before the wait is kept', async () => {
  const bell = createSignalBell();
  bell.ring();
  await bell.wait();
});

test('many rings wake once', async () => {
  const bell = createSignalBell();
  bell.ring();
  bell.ring();
  await bell.wait();
  const controller = new AbortController();
  const second = bell.wait(controller.signal);
  controller.abort(new Error('still waiting'));
  await assert.rejects(second, /still waiting/);
});

test('one ring wakes every waiter', async () => {
  const bell = createSignalBell();
  const waits = Promise.all([bell.wait(), bell.wait(), bell.wait()]);
  bell.ring();
  await waits;
});

test('an aborted waiter does not swallow the next ring', async () => {
  const bell = createSignalBell();
  const controller = new AbortController();
  const gone = bell.wait(controller.signal);
  controller.abort(new Error('gone'));
  await assert.rejects(gone, /gone/);
  bell.ring();
  await bell.wait();
});

test('a wait under an aborted signal leaves a kept ring alone', async () => {
  const bell = createSignalBell();
  bell.ring();
  await assert.rejects(bell.wait(AbortSignal.abort(new Error('no'))), /no/);
  await bell.wait();
});

test('a deferred settles once and says so', async () => {
  const answer = deferred<number>();
  assert.equal(answer.isSettled, false);
  answer.resolve(1);
  answer.resolve(2);
  answer.reject(new Error('late'));
  assert.equal(answer.isSettled, true);
  assert.equal(await answer.promise, 1);
});
