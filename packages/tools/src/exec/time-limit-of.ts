/*
 * The time limits of a living run, as results tell them: an agent that does not know them finds its server gone.
 */
import type { RunSummary } from '@clawdfather/protocol';
import type { RunRecord } from '@clawdfather/supervisor';

export type ToldTimeLimit = Pick<RunSummary, 'timeoutMs' | 'timeoutAt' | 'noOutputTimeoutMs'>;

type Limited = Pick<RunRecord, 'deadlines'> & Partial<Pick<RunRecord, 'startedAtMs' | 'exit'>>;

export function timeLimitOf({ deadlines, startedAtMs, exit }: Limited): ToldTimeLimit {
  if (exit !== undefined) return {};
  const { overallMs, noOutputMs } = deadlines;
  return {
    timeoutMs: overallMs ?? null,
    ...(overallMs === undefined || startedAtMs === undefined
      ? {}
      : { timeoutAt: new Date(startedAtMs + overallMs).toISOString() }),
    ...(noOutputMs === undefined ? {} : { noOutputTimeoutMs: noOutputMs }),
  };
}
