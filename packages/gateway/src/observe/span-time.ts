/*
 * Wall time with the fineness of the monotonic clock: a statement that takes 0.2 ms has to have a length.
 *
 * The two are joined anew whenever they have drifted apart, as they do when the machine slept or its clock was set.
 */
import type { Clock } from '@clawdfather/kit';

const driftMsMax = 50;

export function createSpanTime(clock: Clock): () => number {
  let offsetMs = clock.wallMs() - clock.monotonicMs();
  return () => {
    const monotonicMs = clock.monotonicMs();
    const wallMs = clock.wallMs();
    if (Math.abs(wallMs - monotonicMs - offsetMs) > driftMsMax) offsetMs = wallMs - monotonicMs;
    return offsetMs + monotonicMs;
  };
}
