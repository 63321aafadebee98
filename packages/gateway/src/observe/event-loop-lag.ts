/*
 * How late the event loop is, over the last ten seconds or so.
 *
 * Node counts in the background how late a timer fires. Each reading moves the window on, so nothing runs in between;
 * readings at the same moment see the same window.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Clock } from '@clawdfather/kit';

export type LagSeconds = Readonly<Record<'median' | 'p99' | 'max', number>>;

export interface EventLoopLag {
  read(): LagSeconds;
  close(): void;
}

/* Fine enough for what people feel, and coarse enough to cost nothing. */
const resolutionMs = 20;
const windowMs = 10_000;
/* A start loads and migrates and is always slow, so it is not counted as lag. */
const startMs = 5_000;
/* Of fewer than this a single slow moment, such as a start, would be the 99th percentile. A loop that hangs again and again
   gives few as well, but then the median shows it. */
const samplesMin = 200;

const none: LagSeconds = { median: 0, p99: 0, max: 0 };

export function openEventLoopLag(clock: Clock): EventLoopLag {
  const histogram = monitorEventLoopDelay({ resolution: resolutionMs });
  histogram.enable();
  let sinceMs = clock.monotonicMs();
  let before: LagSeconds = none;
  let isStarting = true;

  /* The histogram has the whole time between two looks, of which the resolution is meant to pass. */
  const lateSeconds = (nanoseconds: number): number =>
    Math.max(0, nanoseconds / 1e9 - resolutionMs / 1000);
  const now = (): LagSeconds =>
    histogram.count === 0
      ? none
      : {
          median: lateSeconds(histogram.percentile(50)),
          p99: lateSeconds(histogram.percentile(histogram.count < samplesMin ? 50 : 99)),
          max: lateSeconds(histogram.max),
        };

  return {
    read: () => {
      const nowMs = clock.monotonicMs();
      if (isStarting) {
        if (nowMs - sinceMs < startMs) return none;
        isStarting = false;
        sinceMs = nowMs;
        histogram.reset();
      }
      const current = now();
      if (nowMs - sinceMs < windowMs) {
        return {
          median: Math.max(before.median, current.median),
          p99: Math.max(before.p99, current.p99),
          max: Math.max(before.max, current.max),
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
