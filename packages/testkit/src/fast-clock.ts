/*
 * A real clock that runs faster: what waits for 30 s waits for a part of it, in the order of a real clock. For tests in which real
 * programs and long limits meet; where there are none, createFakeClock.
 */
import { type Clock, createSystemClock, sleepWith } from '@clawdfather/kit';

export function createFastClock(factor: number): Clock {
  const real = createSystemClock();
  const startMs = real.wallMs();
  const timer: Clock['timer'] = (ms, fire) => real.timer(ms / factor, fire);
  return {
    wallMs: () => startMs + (real.wallMs() - startMs) * factor,
    monotonicMs: () => real.monotonicMs() * factor,
    sleep: (ms, signal) => sleepWith(timer, ms, signal),
    timer,
  };
}
