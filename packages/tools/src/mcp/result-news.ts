/*
 * What a result says about the life of runs: which of them it calls ended, and which it leaves going on.
 */
import type { ExecResult, ProcessResult } from '@clawdfather/protocol';

export interface ResultNews {
  readonly tells: readonly string[];
  readonly follows: readonly string[];
}

export const noNews: ResultNews = { tells: [], follows: [] };

export function newsOf(result: ExecResult | ProcessResult): ResultNews {
  if ('runs' in result) {
    /* A list shows all runs: the ends in it count as told, but the client did not ask to follow the others. */
    const ended = result.runs.filter(({ state }) => state === 'exited');
    return { tells: ended.map(({ runId }) => runId), follows: [] };
  }
  if ('status' in result) {
    const { runId, status } = result;
    if (runId === undefined) return noNews;
    if (status === 'running' || status === 'approval-pending')
      return { tells: [], follows: [runId] };
    const next = status === 'denied' ? result.askedAgain : undefined;
    return { tells: [runId], follows: next === undefined ? [] : [next.runId] };
  }
  const isEnd =
    result.action === 'clear' ||
    ((result.action === 'kill' || result.action === 'remove') &&
      (result.isGone || result.reason !== undefined));
  return isEnd ? { tells: [result.runId], follows: [] } : noNews;
}
