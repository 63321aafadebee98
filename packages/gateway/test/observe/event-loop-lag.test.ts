/*
 * A loop that hangs again and again is late; one slow moment is not.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSystemClock } from '@clawdfather/kit';
import { openEventLoopLag } from '../../src/observe/event-loop-lag.ts';

const clock = createSystemClock();

function hang(ms: number): void {
  const untilMs = clock.monotonicMs() + ms;
  while (clock.monotonicMs() < untilMs);
}

test('hanging for 300 ms again and again shows in the median and the 99th percentile', async () => {
  const lag = openEventLoopLag(clock);
  try {
    for (let i = 0; i < 4; i += 1) {
      hang(300);
      await clock.sleep(0);
    }
    await clock.sleep(1);
    const { median, p99, max } = lag.read();
    assert.ok(median > 0.2 && p99 > 0.2 && max > 0.2, JSON.stringify({ median, p99, max }));
  } finally {
    lag.close();
  }
});
