/*
 * Ending a run that has not begun: the request is taken back, so that it is no longer shown to a person and cannot start; one that waits
 * for its turn on a host leaves the queue.
 */
import { unlessAborted } from '@clawdfather/kit';
import type { ToolCall, ToolsContext } from '../context.ts';
import { findRun } from './find-run.ts';

/* The run's id when it was held and will never start; undefined when there is a run to end, or one about to begin. */
export async function withdrawHeld(
  context: ToolsContext,
  idOrPrefix: string,
  call: ToolCall,
): Promise<string | undefined> {
  const found = findRun(context, idOrPrefix, call);
  if (found.kind !== 'held') return undefined;
  const { runId, approvalId, state } = found.approval;
  if (state === 'denied' || state === 'expired' || state === 'changed') return runId;
  const isTaken = await context.gatekeeper.withdraw(approvalId, call.requester);
  return isTaken ? runId : undefined;
}

/* The run's id when it has not started and never will; undefined when there is a run to end. */
export async function giveUpStart(
  context: ToolsContext,
  idOrPrefix: string,
  call: ToolCall,
): Promise<string | undefined> {
  const found = findRun(context, idOrPrefix, call);
  if (found.kind !== 'starting') return undefined;
  const { giveUp, done } = found.start;
  giveUp();
  await unlessAborted(done, call.signal);
  call.signal.throwIfAborted();
  return findRun(context, found.runId, call).kind === 'starting' ? found.runId : undefined;
}
