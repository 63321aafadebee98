/*
 * How long a turn has waited, as far as this process can vouch for it. Times in rows are of a wall clock, which may jump; and while no
 * gateway was alive nobody could let a turn in. So no wait counts from before this process began, or from before the clock last jumped.
 */
import type { Clock } from '@clawdfather/kit';

export interface WaitClock {
  waitedMs(sinceMs: number): number;
}

/* More than a clock is moved by while it is being set right little by little. Looks are seconds apart. */
const jumpMs = 2_000;

export function createWaitClock(clock: Pick<Clock, 'wallMs' | 'monotonicMs'>): WaitClock {
  let baseMs = clock.monotonicMs();
  let aheadMs = clock.wallMs() - baseMs;
  return {
    waitedMs: (sinceMs) => {
      const nowMs = clock.monotonicMs();
      const wallMs = clock.wallMs();
      if (Math.abs(wallMs - nowMs - aheadMs) > jumpMs) baseMs = nowMs;
      aheadMs = wallMs - nowMs;
      // What began in the future has just begun.
      return Math.max(0, Math.min(wallMs - sinceMs, nowMs - baseMs));
    },
  };
}
