/*
 * The end of an agent's process, as decided: told to say goodbye, and from then on only ended.
 *
 * `closing` is committed before anything is ended, with the reason and the frames that say goodbye (AP6). Whoever owns the agent next
 * finishes what was begun. A cancel ends a turn and never the agent; only an ignored one turns into a close (AP7, W13).
 */
import type { RunId } from '@clawdfather/supervisor';
import type { CallRow, Closing, ThreadChange, ThreadRows } from '../rows.ts';
import type { TreeVerdict } from '../lease/verify-tree.ts';
import { Draft } from './draft.ts';
import { cancelRunning } from './turns.ts';

export interface Close extends Omit<Closing, 'atMs'> {
  /* False: how the turn ends is said by the end of the process. */
  readonly cancelsTurn: boolean;
}

/* From now on it is only ended: no prompt goes there. Undefined: it has none, or it closes already. */
export function beginClosing(
  rows: ThreadRows,
  { runId, cancelsTurn, ...close }: Close & { readonly runId: RunId },
  atMs: number,
): ThreadChange | undefined {
  const { run, turn } = rows;
  if (run?.runId !== runId || run.state !== 'open') return undefined;
  const draft = new Draft(rows, atMs);
  if (cancelsTurn && turn !== undefined && turn.cancelAskedAtMs === undefined) {
    cancelRunning(draft, turn, { cause: 'closed', actor: close.actor });
  }
  draft.changeRun({ state: 'closing', closing: { ...close, atMs } });
  const { reason, actor } = close;
  draft.event('status', { event: 'agent-closing', reason, actor });
  sayGoodbye(draft, close.discards);
  if (close.discards) draft.thread = { ...draft.thread, nativeSessionId: undefined };
  return draft.done();
}

/* By what the agent says it can: deleting only where that is asked for. */
function sayGoodbye(draft: Draft, discards: boolean): void {
  const { capabilities, phase } = draft.changeRun({});
  const { nativeSessionId: sessionId } = draft.thread;
  if (phase !== 'ready' || sessionId === undefined) return;
  if (discards && capabilities?.canDelete === true) draft.call('session/delete', { sessionId });
  else if (capabilities?.canClose === true) draft.call('session/close', { sessionId });
}

/* The call that its process waits with its end for. */
export function isGoodbye({ method }: Pick<CallRow, 'method'>): boolean {
  return method === 'session/close' || method === 'session/delete';
}

/* Of a thread without an agent: its next one begins anew. Undefined: there is nothing to forget. */
export function forgetNative(rows: ThreadRows, atMs: number): ThreadChange | undefined {
  if (rows.run !== undefined || rows.thread.nativeSessionId === undefined) return undefined;
  const draft = new Draft(rows, atMs);
  draft.thread = { ...draft.thread, nativeSessionId: undefined };
  return draft.done();
}

/* W13. Undefined: there is no such turn any more, or it was not cancelled. */
export function giveUpTurn(rows: ThreadRows, turnId: string, atMs: number) {
  if (rows.turn?.id !== turnId || rows.turn.cancelAskedAtMs === undefined) return undefined;
  const draft = new Draft(rows, atMs);
  if (draft.run?.state === 'open') {
    const { cancelActor: actor = 'deadline' } = rows.turn;
    const closing = { reason: 'cancel-ignored', actor, discards: false, atMs };
    draft.changeRun({ state: 'closing', closing });
  }
  draft.turnEvent({ type: 'cancel-ignored' });
  return draft.done();
}

/* Nothing was signalled, and people are told why. Undefined: it is not this thread's run any more. */
export function noteNotEnded(
  rows: ThreadRows,
  { runId, verdict }: { readonly runId: RunId; readonly verdict: TreeVerdict },
  atMs: number,
): ThreadChange | undefined {
  if (rows.run?.runId !== runId || verdict.verdict === 'ours') return undefined;
  const draft = new Draft(rows, atMs);
  const { verdict: cause, why: message } = verdict;
  draft.event('status', { event: 'agent-not-ended', cause, message });
  return draft.done();
}
