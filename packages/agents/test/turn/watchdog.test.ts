/*
 * How long an agent that is run once per turn may say nothing: the numbers, and what holds for every timeout.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noOutputMs } from '@clawdfather/agents';

const second = 1_000;

test('the numbers: a share of the timeout, within bounds, before the timeout', () => {
  const cases: readonly (readonly [timeoutS: number, freshS: number, resumedS: number])[] = [
    [3_600, 600, 180],
    [1_800, 600, 180],
    [750, 600, 180],
    [600, 480, 180],
    [300, 240, 90],
    [225, 180, 67.5],
    [200, 180, 60],
    [181, 180, 60],
    [120, 119, 60],
    [61, 60, 60],
    [60, 59, 59],
    [10, 9, 9],
    [2, 1, 1],
    [1, 1, 1],
  ];
  for (const [timeoutS, freshS, resumedS] of cases) {
    const timeoutMs = timeoutS * second;
    assert.equal(noOutputMs({ timeoutMs, isResumed: false }), freshS * second, `fresh ${timeoutS}`);
    assert.equal(
      noOutputMs({ timeoutMs, isResumed: true }),
      resumedS * second,
      `resumed ${timeoutS}`,
    );
  }
});

test('of every timeout up to an hour, by the tenth of a second', () => {
  for (const isResumed of [false, true]) {
    const [share, least, most] = isResumed ? [0.3, 60, 180] : [0.8, 180, 600];
    let before = 0;
    for (let timeoutMs = 1; timeoutMs <= 3_600 * second; timeoutMs += 97) {
      const ms = noOutputMs({ timeoutMs, isResumed });
      assert.ok(Number.isInteger(ms) && ms >= second, `${timeoutMs}: at least a second`);
      assert.ok(ms >= before, `${timeoutMs}: more time never gives less`);
      before = ms;
      if (timeoutMs < 2 * second) continue;
      assert.ok(ms <= timeoutMs - second, `${timeoutMs}: at most the timeout less one second`);
      assert.ok(ms <= most * second, `${timeoutMs}: at most ${most} s`);
      const isHeldByTimeout = ms === timeoutMs - second;
      assert.ok(isHeldByTimeout || ms >= least * second, `${timeoutMs}: at least ${least} s`);
      const isFree = ms > least * second && ms < most * second && !isHeldByTimeout;
      if (isFree) assert.equal(ms, Math.round(timeoutMs * share));
    }
  }
});

test('a resumed one never has longer than a fresh one', () => {
  for (let timeoutMs = 1; timeoutMs <= 3_600 * second; timeoutMs += 331) {
    const [fresh, resumed] = [false, true].map((isResumed) => noOutputMs({ timeoutMs, isResumed }));
    assert.ok((resumed ?? 0) <= (fresh ?? 0), String(timeoutMs));
  }
});
