/*
 * How late the event loop is, over the last ten seconds or so.
 *
 * Node counts in the background how late a timer fires. The window is moved on by whoever looks, so that nothing has to run
 * when nobody does; several who look at once see the same window.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Clock } from '@clawdfather/kit';

export interface EventLoopLag {
  /* Seconds: median, 99th percentile, most. */
  read(): Readonly<Record<'0.5' | '0.99' | '1', number>>;
  close(): void;
}

/* Fine enough for what people feel, and coarse enough to cost nothing. */
const resolutionMs = 20;
const windowMs = 10_000;

export function openEventLoopLag(clock: Clock): EventLoopLag {
  const histogram = monitorEventLoopDelay({ resolution: resolutionMs });
  histogram.enable();
  let sinceMs = clock.monotonicMs();
  let before = { '0.5': 0, '0.99': 0, '1': 0 };

  /* The histogram has the whole time between two looks, of which the resolution is meant to pass. */
  const lateSeconds = (nanoseconds: number): number =>
    Math.max(0, nanoseconds / 1e9 - resolutionMs / 1000);
  const now = (): typeof before =>
    histogram.count === 0
      ? { '0.5': 0, '0.99': 0, '1': 0 }
      : {
          '0.5': lateSeconds(histogram.percentile(50)),
          '0.99': lateSeconds(histogram.percentile(99)),
          '1': lateSeconds(histogram.max),
        };

  return {
    read: () => {
      const nowMs = clock.monotonicMs();
      const current = now();
      if (nowMs - sinceMs < windowMs) {
        return {
          '0.5': Math.max(before['0.5'], current['0.5']),
          '0.99': Math.max(before['0.99'], current['0.99']),
          '1': Math.max(before['1'], current['1']),
        };
      }
      before = current;
      sinceMs = nowMs;
      histogram.reset();
      return current;
    },
    close: () => void histogram.disable(),
  };
}
