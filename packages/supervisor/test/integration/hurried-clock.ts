/*
 * A clock on which every wait is shorter by a factor, so that a test need not sit through limits of many seconds.
 * Only this process hurries: shims and spawnd keep their own time.
 */
import { type Clock, createSystemClock } from '@clawdfather/kit';

export function createHurriedClock(factor: number): Clock {
  const clock = createSystemClock();
  return {
    wallMs: () => clock.wallMs(),
    monotonicMs: () => clock.monotonicMs() * factor,
    sleep: (ms, signal) => clock.sleep(ms / factor, signal),
    timer: (ms, fire) => clock.timer(ms / factor, fire),
  };
}
