/*
 * A loop that hangs again and again is late; one slow moment is not.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Clock, createSystemClock } from '@clawdfather/kit';
import { openEventLoopLag } from '../../src/observe/event-loop-lag.ts';

const clock = createSystemClock();

/* The real one, moved on by what a start may take. */
function createLaterClock(): { readonly clock: Clock; moveOn(): void } {
  let ahead = 0;
  return {
    clock: { ...clock, monotonicMs: () => clock.monotonicMs() + ahead },
    moveOn: () => {
      ahead += 5_000;
    },
  };
}

function hang(ms: number): void {
  const untilMs = clock.monotonicMs() + ms;
  while (clock.monotonicMs() < untilMs);
}

test('hanging for 300 ms again and again shows in the median and the 99th percentile, once the start is over', async () => {
  const later = createLaterClock();
  const lag = openEventLoopLag(later.clock);
  try {
    hang(300);
    await clock.sleep(0);
    assert.deepEqual(lag.read(), { median: 0, p99: 0, max: 0 });
    later.moveOn();
    lag.read();
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
