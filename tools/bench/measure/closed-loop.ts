/*
 * Does something over and over, so many at a time, for so long: the next one starts when one is done.
 */
import { performance } from 'node:perf_hooks';
import { type LoopTime, perUnit, startLoopTime } from './loop-time.ts';
import { type Spread, spreadOf } from './statistics.ts';

export interface ClosedLoop {
  readonly concurrency: number;
  readonly durationMs: number;
}

export interface ClosedLoopResult {
  readonly count: number;
  readonly perSecond: number;
  readonly latencyMs: Spread;
  readonly loopPerItem: LoopTime;
}

export async function measureClosedLoop(
  { concurrency, durationMs }: ClosedLoop,
  work: () => Promise<void>,
): Promise<ClosedLoopResult> {
  const latencies: number[] = [];
  const stopLoopTime = startLoopTime();
  const startedMs = performance.now();
  const untilMs = startedMs + durationMs;
  const lane = async (): Promise<void> => {
    while (performance.now() < untilMs) {
      const beganMs = performance.now();
      await work();
      latencies.push(performance.now() - beganMs);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, lane));
  const tookMs = performance.now() - startedMs;
  const loop = stopLoopTime();
  return {
    count: latencies.length,
    perSecond: (latencies.length / tookMs) * 1000,
    latencyMs: spreadOf(latencies),
    loopPerItem: perUnit(loop, latencies.length),
  };
}
