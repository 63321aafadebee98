/*
 * What a turn needs cannot be reached: the host of its agent does not answer, or the gateway that has the agent is gone. It may come back, so
 * it is waited for, and people are told; after a while of silence the turn is given up.
 *
 * Silence is that of a host or a gateway, never that of an agent: a model may think, and a tool may run, for as long as the turn's deadline
 * allows (W10). What was refused rather than lost (a key, a host key) is not tried again, and does not come here.
 */
import type { ThreadChange, ThreadRows } from '../rows.ts';
import { Draft } from './draft.ts';
import { putBack } from './put-back.ts';

/* From the first try that failed. Long enough for a host that is restarted, short enough for a person who waits. */
export const silenceMsMax = 600_000;

export interface PutOff {
  readonly turnId: string;
  readonly cause: string;
  readonly message: string;
  /* Until the next try, by the number of those before. */
  readonly restMs: (tries: number) => number;
}

/* The turn goes on waiting for it. Undefined: it does not run any more. */
export function putOff(
  rows: ThreadRows,
  { turnId, cause, message, restMs }: PutOff,
  atMs: number,
): ThreadChange | undefined {
  const { turn } = rows;
  if (turn?.id !== turnId) return undefined;
  const { sinceMs = atMs, tries = 0 } = turn.reaching ?? {};
  const nextTryMs = restMs(tries);
  const shown = `${message.replace(/\.$/, '')}; next try in ${Math.ceil(nextTryMs / 1_000)} s`;
  const draft = new Draft(rows, atMs);
  const reaching = { cause, message, sinceMs, tries: tries + 1, nextAtMs: atMs + nextTryMs };
  draft.changeTurn({ reaching });
  const elapsedMs = atMs - sinceMs;
  const progress = { stage: 'reaching', message: shown, cause, elapsedMs, nextTryMs };
  draft.event('status', { event: 'running', message: shown, progress });
  return draft.done();
}

/* It was reached again, if it was tried for. */
export function noteReached(draft: Draft): void {
  const { turn, atMs } = draft;
  if (turn?.reaching === undefined) return;
  const elapsedMs = atMs - turn.reaching.sinceMs;
  draft.changeTurn({ reaching: undefined });
  draft.event('status', { event: 'running', progress: { stage: 'reached', elapsedMs } });
}

export interface LostTurn {
  readonly turnId: string;
  readonly cause: string;
  readonly message: string;
}

/*
 * Nothing was heard for too long. An agent that turns up again is ended then: what it does is nobody's turn any more. Undefined: the turn
 * does not run.
 */
export function loseTurn(
  rows: ThreadRows,
  { turnId, cause, message }: LostTurn,
  atMs: number,
): ThreadChange | undefined {
  const { turn, run } = rows;
  if (turn?.id !== turnId) return undefined;
  const draft = new Draft(rows, atMs);
  const wasPrompted = turn.promptEnd !== undefined;
  if (run?.state === 'open') {
    const closing = { reason: 'unreachable', actor: 'gateway', discards: false, atMs };
    draft.changeRun({ state: 'closing', closing });
    draft.event('status', { event: 'agent-closing', reason: 'unreachable', actor: 'gateway' });
  }
  draft.turnEvent({ type: 'unreachable', cause, message, wasPrompted });
  return draft.done();
}

/* Its gateway was lost before it had started an agent: another one admits it anew. Undefined: there is no such turn, or it has one. */
export function releaseTurn(
  rows: ThreadRows,
  turnId: string,
  atMs: number,
): ThreadChange | undefined {
  const { turn, run } = rows;
  if (turn?.id !== turnId || run !== undefined || turn.promptEnd !== undefined) return undefined;
  const draft = new Draft(rows, atMs);
  putBack(draft, 'its gateway was lost before it had started an agent');
  return draft.done();
}
