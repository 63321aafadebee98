/*
 * Both clocks of a moment, for what has to notice that the device slept. The monotonic one stands still while some devices sleep, and the other
 * may jump. What is taken for longer than it was costs a stream, or a second tap; what is taken for shorter leaves a page that looks alive.
 */
import type { Clock } from '@clawdfather/kit';

export interface Moment {
  readonly wallMs: number;
  readonly monotonicMs: number;
}

export function momentOf(clock: Pick<Clock, 'wallMs' | 'monotonicMs'>): Moment {
  return { wallMs: clock.wallMs(), monotonicMs: clock.monotonicMs() };
}

export function passedMs(from: Moment, to: Moment): number {
  return Math.max(to.monotonicMs - from.monotonicMs, to.wallMs - from.wallMs);
}
