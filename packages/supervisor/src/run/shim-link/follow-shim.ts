/*
 * Follows a shim over its own socket: for adopted and foreign runs, and when spawnd is gone (T7).
 *
 * Stages: connect and watch → news until the connection is lost → look at the journal. A final `end` in it is the
 * last news. Without one the shim is gone only on evidence (O5): its socket refuses, or its recorded process is not
 * there. Everything else (a timeout, a missing socket of a living shim) is tried again for as long as it takes:
 * uncertainty never kills.
 */
import type { Clock } from '@clawdfather/kit';
import {
  type ControlLink,
  type JournalScan,
  type RunEvent,
  ShimUnreachableError,
} from '@clawdfather/shim';
import type { ProcessTable } from '../../evidence/process-table.ts';
import { verdictOfProcess, isGone } from '../../evidence/verdict.ts';
import { followRetryMs, followRetryMsMax } from '../../limits.ts';
import type { ControlLine } from './control-line.ts';
import type { KeepAlive } from '../wait/keep-alive.ts';
import { scanRun } from '../records/run-files.ts';

export interface FollowDeps {
  readonly runDir: string;
  readonly control: ControlLine;
  readonly keepAlive: KeepAlive;
  readonly clock: Clock;
  readonly processTable: ProcessTable;
  readonly signal: AbortSignal;
  /* A connection that is open already; used first. */
  readonly first?: ControlLink | undefined;
  readonly onEvent: (event: RunEvent) => void;
  /* Before the first news of each connection; a claim is made here. Rejecting stops the following. */
  readonly onConnected?: (link: ControlLink) => Promise<void>;
  /* No shim has claimed the run directory. Returns true when none ever will, so there is nothing to follow (S1). */
  readonly onUnclaimed?: () => boolean;
  /* The shim is proven gone and has written no final end: the journal will not say more. */
  readonly onGone: (scan: JournalScan | undefined) => void;
  /* Whether the shim lives cannot be known now. Called once until it is known again. */
  readonly onUncertain?: (why: string) => void;
}

/* Resolves when there is nothing more to follow; rejects only with the signal's reason or `onConnected`'s. */
export async function followShim(deps: FollowDeps): Promise<void> {
  let pauseMs = followRetryMs;
  let isUncertain = false;
  let { first } = deps;
  for (;;) {
    deps.signal.throwIfAborted();
    const outcome = await watchOnce(deps, first);
    first = undefined;
    if (outcome === 'ended') return;
    if (outcome === 'lost') pauseMs = followRetryMs;
    const fate = fateOf(deps, outcome);
    if (fate.kind === 'ended') return deps.onEvent(fate.event);
    if (fate.kind === 'gone') return deps.onGone(fate.scan);
    if (fate.kind === 'unclaimed' && deps.onUnclaimed?.() === true) return;
    if (!isUncertain && outcome !== 'lost') {
      isUncertain = true;
      deps.onUncertain?.(fate.why);
    }
    await deps.clock.sleep(pauseMs, deps.signal);
    pauseMs = Math.min(pauseMs * 2, followRetryMsMax);
  }
}

type WatchOutcome = 'ended' | 'lost' | ShimUnreachableError;

async function watchOnce(deps: FollowDeps, first: ControlLink | undefined): Promise<WatchOutcome> {
  let link: ControlLink;
  try {
    link = first ?? (await deps.control.open(deps.signal));
  } catch (error) {
    if (error instanceof ShimUnreachableError) return error;
    throw error;
  }
  const { promise, resolve } = Promise.withResolvers<WatchOutcome>();
  const onAbort = (): void => resolve('lost');
  deps.signal.addEventListener('abort', onAbort, { once: true });
  try {
    deps.keepAlive.use(link);
    await deps.onConnected?.(link);
    await link
      .watch((event) => {
        if (event.type === 'lost') return resolve('lost');
        deps.onEvent(event);
        if (event.type === 'end' && event.end.isFinal) resolve('ended');
      })
      .catch(() => resolve('lost')); /* it went between the two; the journal will tell */
    return await promise;
  } finally {
    deps.signal.removeEventListener('abort', onAbort);
    link.close();
  }
}

type Fate =
  | { readonly kind: 'ended'; readonly event: RunEvent }
  | { readonly kind: 'gone'; readonly scan: JournalScan | undefined }
  | { readonly kind: 'unclaimed'; readonly why: string }
  | { readonly kind: 'uncertain'; readonly why: string };

function fateOf(deps: FollowDeps, outcome: 'lost' | ShimUnreachableError): Fate {
  const found = scanRun(deps.runDir);
  /* Nothing was started, or everything was deleted. Either way no shim lives there. */
  if (found.kind === 'absent') return { kind: 'gone', scan: undefined };
  if (found.kind === 'unreadable') return { kind: 'uncertain', why: found.why };
  const { scan } = found;
  if (scan.state === 'empty') return { kind: 'unclaimed', why: 'no shim has claimed it yet' };
  const { exit, end, endOffset } = scan;
  if (exit !== undefined && end?.isFinal === true) {
    const event = { type: 'end', exit, end, journalLength: endOffset, journal: undefined } as const;
    return { kind: 'ended', event };
  }
  if (outcome === 'lost') return { kind: 'uncertain', why: 'the connection ended' };
  if (outcome.reason === 'refused') return { kind: 'gone', scan };
  if (scan.start === undefined) return { kind: 'uncertain', why: `socket: ${outcome.reason}` };
  const { shimPid: pid, shimStartTicks: startTicks } = scan.start;
  const reading = deps.processTable.read(pid);
  const verdict = verdictOfProcess({ pid, startTicks }, { reading, leaseId: undefined });
  if (isGone(verdict)) return { kind: 'gone', scan };
  return { kind: 'uncertain', why: `socket: ${outcome.reason}; shim: ${verdict.why}` };
}
