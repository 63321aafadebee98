/*
 * An ordinary clock until the test lets it hurry, so that a test need not sit through limits of many seconds.
 * Only this process hurries: shims and spawnd keep their own time, and the time of day stays what it is.
 */
import { createSystemClock } from '@clawdfather/kit';
import { createHurryingClock, type HurryingClock } from '@clawdfather/testkit';

export function createHurriedClock(): HurryingClock {
  const real = createSystemClock();
  return { ...createHurryingClock(), wallMs: () => real.wallMs() };
}
