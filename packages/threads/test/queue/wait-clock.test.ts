/*
 * How long a turn has waited: no jump of the clock and no time without a gateway is counted.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createWaitClock } from '../../src/queue/wait-clock.ts';

function rig() {
  const now = { monotonicMs: 1_000, wallMs: 1_000_000 };
  const waits = createWaitClock({ wallMs: () => now.wallMs, monotonicMs: () => now.monotonicMs });
  const pass = (ms: number): void => {
    now.monotonicMs += ms;
    now.wallMs += ms;
  };
  return { now, waits, pass };
}

test('a wait is as long as the clock says', () => {
  const { now, waits, pass } = rig();
  pass(10_000);
  const since = now.wallMs;
  pass(60_000);
  assert.equal(waits.waitedMs(since), 60_000);
});

test('no wait counts from before the gateway began', () => {
  const { waits, pass } = rig();
  pass(5_000);
  assert.equal(waits.waitedMs(0), 5_000);
});

test('a clock that jumps makes nobody wait longer, forward or back', () => {
  for (const jumpMs of [3_600_000, -3_600_000]) {
    const { now, waits, pass } = rig();
    const since = now.wallMs;
    pass(60_000);
    assert.equal(waits.waitedMs(since), 60_000);
    now.wallMs += jumpMs;
    assert.equal(waits.waitedMs(since), 0);
    pass(30_000);
    assert.ok(waits.waitedMs(since) <= 30_000);
  }
});

test('a clock that is set right little by little does not jump', () => {
  const { now, waits, pass } = rig();
  const since = now.wallMs;
  for (let second = 0; second < 60; second += 1) {
    pass(1_000);
    now.wallMs += 1;
    waits.waitedMs(since);
  }
  assert.equal(waits.waitedMs(since), 60_000);
});
