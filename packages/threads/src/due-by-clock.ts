/*
 * What the clock calls for in a thread, as one pure function: a handshake or a turn that takes too long, a cancel that is ignored
 * (W10, W13), an agent that has had its time to say goodbye (AP6). Where something is due, all that was journalled is read first; then this is asked again.
 */
import {
  cancelGraceMs,
  closeGraceMs,
  deadlineMs,
  handshakeMs,
  isGoodbye,
  settingMs,
  type ThreadRows,
  type TurnRow,
} from '@clawdfather/agents';
import type { RunId } from '@clawdfather/supervisor';

export type DueByClock =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'wait'; readonly ms: number }
  /* It closes, and says nothing more that is waited for. */
  | { readonly kind: 'end' }
  /* It does not let us in. */
  | { readonly kind: 'close'; readonly runId: RunId; readonly isCertain: boolean }
  /* It does not answer to a value that is set before the prompt. */
  | { readonly kind: 'not-set'; readonly callId: number }
  /* W13: it ignores a cancel. */
  | { readonly kind: 'give-up'; readonly turnId: string }
  | { readonly kind: 'overdue'; readonly turnId: string };

const nothing: DueByClock = { kind: 'nothing' };

/* Something that may take so long from then on, by the wall clock. */
export interface Wait {
  /* Tells it from others of the thread. */
  readonly name: string;
  readonly fromMs: number;
  readonly ms: number;
  /* Before this process looked it may not have begun: whoever was to pass it on was lost. */
  readonly isFromHere?: boolean;
}

/* `restMs`: what is left of a wait; zero or less: it is over. */
export function dueByClock(
  { run, turn, calls }: ThreadRows,
  restMs: (wait: Wait) => number,
): DueByClock {
  if (run === undefined) return nothing;
  if (run.state === 'closing') {
    const isAwaited = [...calls.values()].some(isGoodbye);
    if (!isAwaited) return { kind: 'end' };
    const fromMs = run.closing?.atMs ?? 0;
    const ms = restMs({ name: `close ${run.runId}`, fromMs, ms: closeGraceMs });
    return ms > 0 ? { kind: 'wait', ms } : { kind: 'end' };
  }
  if (run.phase !== 'ready' && run.phase !== 'once') {
    const { runId } = run;
    // It has said so itself: there is nothing more to read.
    if (run.phase === 'failed') return { kind: 'close', runId, isCertain: true };
    const ms = restMs({ name: `start ${runId}`, fromMs: run.startedAtMs, ms: handshakeMs });
    return ms > 0 ? { kind: 'wait', ms } : { kind: 'close', runId, isCertain: false };
  }
  if (turn === undefined) return nothing;
  const told = run.setting?.call;
  if (told !== undefined) {
    const { callId, atMs: fromMs } = told;
    const name = `set ${run.runId} ${callId}`;
    const ms = restMs({ name, fromMs, ms: settingMs, isFromHere: true });
    return ms > 0 ? { kind: 'wait', ms } : { kind: 'not-set', callId };
  }
  if (turn.cancelAskedAtMs !== undefined) {
    const fromMs = turn.cancelAskedAtMs;
    const ms = restMs({ name: `cancel ${turn.id}`, fromMs, ms: cancelGraceMs });
    return ms > 0 ? { kind: 'wait', ms } : { kind: 'give-up', turnId: turn.id };
  }
  const wait = timeOf(turn);
  if (wait === undefined) return nothing;
  const ms = restMs(wait);
  return ms > 0 ? { kind: 'wait', ms } : { kind: 'overdue', turnId: turn.id };
}

/* How long a turn may take; undefined: it has no deadline yet. */
export function timeOf({ id, deadlineAtMs, loadClass }: TurnRow): Wait | undefined {
  if (deadlineAtMs === undefined) return undefined;
  const ms = deadlineMs[loadClass];
  return { name: `turn ${id}`, fromMs: deadlineAtMs - ms, ms };
}
