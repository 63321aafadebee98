/*
 * Ends of background runs, told to one connection without a request.
 *
 * A run is followed from the result that says that it goes on (`running`, `approval-pending`), from a subscription to it, or from
 * the start of the server for what earlier servers left. Its end is pushed in the way of the protocol's revision (push-exit.ts)
 * and named by the next result of any call. What was told and how often is one state per run (next-notice.ts).
 *
 * While a call about a run is under way its answer may tell the end, so nothing else does: a poll that ends because the run did
 * is one wake and not two. A call is over when its answer has been handed to the wire, or was cancelled; so a notice never comes
 * before the result that names the run.
 */
import type { Log } from '@clawdfather/kit';
import type { RequestId } from '@modelcontextprotocol/server';
import { createFollowedRuns, type FollowedRunsDeps } from './followed-runs.ts';
import { noticesPerResultMax } from './limits.ts';
import type { ExitNotice } from './next-notice.ts';
import { noNews, type ResultNews } from './result-news.ts';

export interface ExitNoticesDeps {
  readonly waitForEnd: FollowedRunsDeps['waitForEnd'];
  /* Does nothing if the client does not listen; rejects when the connection is gone. */
  readonly push: (notice: ExitNotice) => Promise<void>;
  /* Whoever keeps what is still to be told asks for it again: `open` answers something else. */
  readonly onChange?: (() => void) | undefined;
  readonly log: Log;
}

export interface ExitNotices {
  follow(runId: string): void;
  /* The runs whose end is still to be told. */
  open(): readonly string[];
  /* A listener for this run: an end that is known already is pushed to it. */
  subscribed(runId: string): void;
  /* A call begins; `about` is the run that it names, or the beginning of its id. */
  begin(callId: RequestId, about?: string): void;
  /* Its answer is there, and says this. */
  tell(callId: RequestId, news: ResultNews): void;
  /* What else ended, to be sent along with the answer. */
  carry(callId: RequestId): readonly ExitNotice[];
  /* An answer, to whatever, was handed to the wire. */
  answered(callId: RequestId): void;
  /* There will be no answer. */
  lost(callId: RequestId): void;
  close(): void;
}

interface Call {
  readonly about: string | undefined;
  news: ResultNews;
}

export function createExitNotices(deps: ExitNoticesDeps): ExitNotices {
  const { waitForEnd, push, onChange = () => {}, log } = deps;
  const calls = new Map<RequestId, Call>();
  /* Before its first answer a client does not know what it speaks to. */
  let phase: 'opening' | 'open' | 'closed' = 'opening';

  const isSpokenOf = (runId: string, except?: RequestId): boolean =>
    calls
      .entries()
      .some(([id, { about }]) => id !== except && about !== undefined && runId.startsWith(about));
  const pushUntold = (): void => {
    if (phase !== 'open') return;
    for (const { kind, notice, isPushed } of runs.untold()) {
      const { runId } = notice;
      if (kind !== 'ended' || isPushed || isSpokenOf(runId)) continue;
      runs.advance(runId, { type: 'pushed' });
      push(notice).catch((error: unknown) => log.debug('mcp-notice-unsent', { runId, error }));
    }
  };
  const runs = createFollowedRuns({ waitForEnd, onEnded: pushUntold, onChange, log });
  const follow = (runId: string): void => {
    if (phase !== 'closed') runs.follow(runId);
  };
  const carriedBy = (callId: RequestId): readonly string[] =>
    runs
      .untold()
      .filter((state) => state.kind === 'carried' && state.callId === callId)
      .map(({ notice }) => notice.runId);

  return {
    follow,
    open: () => runs.open(),
    subscribed: (runId) => {
      follow(runId);
      runs.advance(runId, { type: 'subscribed' });
      pushUntold();
    },
    begin: (callId, about) => void calls.set(callId, { about, news: noNews }),
    tell: (callId, news) => {
      const call = calls.get(callId);
      if (call !== undefined) call.news = news;
    },
    carry: (callId) => {
      const call = calls.get(callId);
      if (call === undefined) return [];
      const notices = runs
        .untold()
        .filter(({ kind }) => kind === 'ended')
        .map(({ notice }) => notice)
        .filter(({ runId }) => !call.news.tells.includes(runId) && !isSpokenOf(runId, callId))
        .slice(0, noticesPerResultMax);
      for (const { runId } of notices) runs.advance(runId, { type: 'carried', callId });
      return notices;
    },
    answered: (callId) => {
      if (phase === 'opening') phase = 'open';
      const { tells, follows } = calls.get(callId)?.news ?? noNews;
      for (const runId of [...carriedBy(callId), ...tells]) runs.advance(runId, { type: 'told' });
      for (const runId of follows) follow(runId);
      calls.delete(callId);
      pushUntold();
    },
    lost: (callId) => {
      for (const runId of carriedBy(callId)) runs.advance(runId, { type: 'call-lost', callId });
      calls.delete(callId);
      pushUntold();
    },
    close: () => {
      phase = 'closed';
      runs.close();
    },
  };
}
