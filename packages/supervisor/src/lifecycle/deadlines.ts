/*
 * Watchdog deadlines, as arithmetic (document 001).
 *
 * The clocks are the shim's (T5): nothing here arms a timer. These functions say
 * how long a run has left, for `snapshot`, for people, and for the one case in
 * which deadlines are set anew, from now, by a new owner. Input is durations, so
 * the caller decides which clock they came from (C1: a monotonic one).
 */
import type { RunRecord } from '../types.ts';

export interface Elapsed {
  readonly sinceStartMs: number;
  /** Since the last byte of output, or since the start if there was none. */
  readonly sinceOutputMs: number;
  /** J4: while the disk is full the no-output clock stands still. */
  readonly isBlocked?: boolean;
}

export interface DeadlinesLeft {
  readonly overallMs: number | undefined;
  readonly noOutputMs: number | undefined;
  /** The one that comes first; the overall one when both are equal. */
  readonly next: { readonly type: 'overall' | 'no-output'; readonly inMs: number } | undefined;
}

/** Never negative: a deadline that has passed is due now. */
export function deadlinesLeft(deadlines: RunRecord['deadlines'], elapsed: Elapsed): DeadlinesLeft {
  const overallMs = left(deadlines.overallMs, elapsed.sinceStartMs);
  const noOutputMs = left(deadlines.noOutputMs, elapsed.sinceOutputMs);
  const armedNoOutputMs = elapsed.isBlocked === true ? undefined : noOutputMs;
  return { overallMs, noOutputMs, next: firstOf(overallMs, armedNoOutputMs) };
}

function left(limitMs: number | undefined, elapsedMs: number): number | undefined {
  return limitMs === undefined ? undefined : Math.max(0, limitMs - Math.max(0, elapsedMs));
}

function firstOf(
  overallMs: number | undefined,
  noOutputMs: number | undefined,
): DeadlinesLeft['next'] {
  if (noOutputMs !== undefined && (overallMs === undefined || noOutputMs < overallMs)) {
    return { type: 'no-output', inMs: noOutputMs };
  }
  return overallMs === undefined ? undefined : { type: 'overall', inMs: overallMs };
}
