/*
 * How often a screen is read again when events come in bursts.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFakeClock } from '@clawdfather/testkit';
import { createPacedRefresh, refreshPauseMs } from '../../src/data/paced-refresh.ts';

function openRig() {
  const clock = createFakeClock();
  const looksAtMs: number[] = [];
  const paced = createPacedRefresh(clock, () => looksAtMs.push(clock.monotonicMs() - beganMs));
  const beganMs = clock.monotonicMs();
  return { clock, looksAtMs, paced };
}

test('one event is one look, at once', async () => {
  const { clock, looksAtMs, paced } = openRig();
  paced.ask();
  assert.deepEqual(looksAtMs, [0]);
  await clock.advance(10 * refreshPauseMs);
  assert.deepEqual(looksAtMs, [0]);
  paced.ask();
  assert.deepEqual(looksAtMs, [0, 10 * refreshPauseMs], 'after a silence at once again');
});

test('a burst is two looks: at its first event, and after the pause with all that came by then', async () => {
  const { clock, looksAtMs, paced } = openRig();
  for (let event = 0; event < 20; event += 1) {
    paced.ask();
    await clock.advance(10);
  }
  await clock.advance(10 * refreshPauseMs);
  assert.deepEqual(looksAtMs, [0, refreshPauseMs]);
});

test('events without an end are a look each pause, and the last one is never missed', async () => {
  const { clock, looksAtMs, paced } = openRig();
  for (let event = 0; event <= 100; event += 1) {
    paced.ask();
    await clock.advance(10);
  }
  await clock.advance(refreshPauseMs);
  assert.deepEqual(
    looksAtMs,
    [0, 1, 2, 3, 4].map((pauses) => pauses * refreshPauseMs),
  );
});

test('a screen that was left is not read again', async () => {
  const { clock, looksAtMs, paced } = openRig();
  paced.ask();
  paced.ask();
  paced.close();
  await clock.advance(10 * refreshPauseMs);
  assert.deepEqual(looksAtMs, [0]);
});
