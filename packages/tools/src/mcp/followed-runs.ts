/*
 * The runs whose end one connection hears of, each with what was told of it so far (next-notice.ts).
 *
 * A followed run costs a promise that the end of the run settles; nothing ticks. Told ones are remembered, so that a late result
 * does not have them told again; what was told longest ago is forgotten first, what is still to be told never.
 */
import type { Log } from '@clawdfather/kit';
import type { RunEnd } from '../process/wait-for-end.ts';
import { askedCommand } from './asked-command.ts';
import { formatDenial } from './denial-text.ts';
import { fitText } from './fit-result.ts';
import { followedRunsMax, noticeCommandCharactersMax } from './limits.ts';
import { type ExitNotice, nextNotice, type NoticeEvent, type NoticeState } from './next-notice.ts';

export interface FollowedRunsDeps {
  /* Rejects when the signal aborts, and for a run that is not the caller's. */
  readonly waitForEnd: (runId: string, signal: AbortSignal) => Promise<RunEnd>;
  readonly onEnded: () => void;
  /* What `open` answers is another. */
  readonly onChange: () => void;
  readonly log: Log;
}

type Untold = Extract<NoticeState, { readonly kind: 'ended' | 'carried' }>;

interface Followed {
  state: NoticeState;
  readonly stop: AbortController;
}

export interface FollowedRuns {
  follow(runId: string): void;
  advance(runId: string, event: NoticeEvent): void;
  /* Ended and not told. */
  untold(): readonly Untold[];
  /* Whose end is still to be told, whether it is known or not. */
  open(): readonly string[];
  close(): void;
}

export function createFollowedRuns(deps: FollowedRunsDeps): FollowedRuns {
  const { waitForEnd, onEnded, onChange, log } = deps;
  const runs = new Map<string, Followed>();
  /* Few, however many are followed or remembered. */
  const untold = new Map<string, Untold>();

  const advance = (runId: string, event: NoticeEvent): void => {
    const followed = runs.get(runId);
    if (followed === undefined) return;
    const wasTold = followed.state.kind === 'told';
    const state = nextNotice(followed.state, event);
    followed.state = state;
    if (state.kind === 'ended' || state.kind === 'carried') untold.set(runId, state);
    else untold.delete(runId);
    if (state.kind !== 'told' || wasTold) return;
    followed.stop.abort();
    onChange();
  };
  const follow = (runId: string): void => {
    if (runs.has(runId)) return;
    if (!makeRoom(runs)) return log.warn('mcp-follows-too-many', { runId });
    const stop = new AbortController();
    runs.set(runId, { state: { kind: 'following' }, stop });
    onChange();
    waitForEnd(runId, stop.signal).then(
      (end) => {
        advance(runId, { type: 'ended', notice: noticeOf(runId, end) });
        // It was asked for again under another id: whoever followed the one follows the other.
        const next = end.kind === 'denied' ? end.result.askedAgain : undefined;
        if (next !== undefined) follow(next.runId);
        onEnded();
      },
      (error: unknown) => {
        if (stop.signal.aborted) return;
        runs.delete(runId);
        onChange();
        log.debug('mcp-follow-failed', { runId, error });
      },
    );
  };
  return {
    follow,
    advance,
    untold: () => [...untold.values()],
    open: () => [...runs].filter(([, { state }]) => state.kind !== 'told').map(([runId]) => runId),
    close: () => {
      for (const { stop } of runs.values()) stop.abort();
      runs.clear();
      untold.clear();
    },
  };
}

function makeRoom(runs: Map<string, Followed>): boolean {
  if (runs.size < followedRunsMax) return true;
  const told = runs.entries().find(([, { state }]) => state.kind === 'told');
  return told !== undefined && runs.delete(told[0]);
}

function noticeOf(runId: string, end: RunEnd): ExitNotice {
  const command = fitText(askedCommand(end.command), noticeCommandCharactersMax);
  if (end.kind === 'denied') {
    return { event: 'denied', runId, reason: formatDenial(end.result), command };
  }
  const { reason, code, signal, cursor, durationMs } = end.exit;
  /* A time limit is never shown with an exit code: a program that ends tidily would look like a success. */
  const isTimeout = reason === 'overall-timeout' || reason === 'no-output-timeout';
  return {
    event: 'exit',
    runId,
    reason,
    ...(code === undefined || isTimeout ? {} : { code }),
    ...(signal === undefined ? {} : { signal }),
    cursor,
    ...(durationMs === undefined ? {} : { durationMs }),
    command,
  };
}
