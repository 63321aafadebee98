/*
 * What the clock calls for in a thread, as one pure function: a handshake or a turn that takes too long, a cancel that is ignored
 * (W10, W13), an agent that has had its time to say goodbye (AP6). Where something is due, all that was journalled is read first; then this is asked again.
 */
import {
  cancelGraceMs,
  closeGraceMs,
  handshakeMs,
  isGoodbye,
  type ThreadRows,
} from '@clawdfather/agents';
import type { RunId } from '@clawdfather/supervisor';

export type DueByClock =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'wait'; readonly ms: number }
  /* It closes, and says nothing more that is waited for. */
  | { readonly kind: 'end' }
  /* It does not let us in. */
  | { readonly kind: 'close'; readonly runId: RunId; readonly isCertain: boolean }
  /* W13: it ignores a cancel. */
  | { readonly kind: 'give-up'; readonly turnId: string }
  | { readonly kind: 'overdue'; readonly turnId: string };

const nothing: DueByClock = { kind: 'nothing' };

export function dueByClock({ run, turn, calls }: ThreadRows, nowMs: number): DueByClock {
  if (run === undefined) return nothing;
  if (run.state === 'closing') {
    const isAwaited = [...calls.values()].some(isGoodbye);
    const ms = (run.closing?.atMs ?? 0) + closeGraceMs - nowMs;
    return isAwaited && ms > 0 ? { kind: 'wait', ms } : { kind: 'end' };
  }
  if (run.state === 'open' && run.phase !== 'ready') {
    const { runId } = run;
    // It has said so itself: there is nothing more to read.
    if (run.phase === 'failed') return { kind: 'close', runId, isCertain: true };
    const ms = run.startedAtMs + handshakeMs - nowMs;
    return ms > 0 ? { kind: 'wait', ms } : { kind: 'close', runId, isCertain: false };
  }
  if (turn === undefined) return nothing;
  if (turn.cancelAskedAtMs !== undefined) {
    const ms = turn.cancelAskedAtMs + cancelGraceMs - nowMs;
    return ms > 0 ? { kind: 'wait', ms } : { kind: 'give-up', turnId: turn.id };
  }
  if (turn.deadlineAtMs === undefined) return nothing;
  const ms = turn.deadlineAtMs - nowMs;
  return ms > 0 ? { kind: 'wait', ms } : { kind: 'overdue', turnId: turn.id };
}
