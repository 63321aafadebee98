/*
 * Runs that wait for a person's decision.
 *
 * A held run has its id already and its request lies with the approval. Whoever is alive when it is allowed starts it: the
 * process that asked, one that was started later, the command line that decided. All of them may try, because the same id
 * starts once (S1), and the registry uses the approval up in the same transaction that records the start.
 *
 * What starts is what was approved: the approval is bound to the request, and the request is compared with the action that
 * a person was shown.
 */
import { isDeepStrictEqual } from 'node:util';
import { hasCode } from '@clawdfather/kit';
import type { RunId } from '@clawdfather/supervisor';
import type { ApprovalRecord } from '../approvals/gatekeeper.ts';
import type { ToolsContext } from '../context.ts';
import { ToolsError } from '../errors.ts';
import { beginStart } from './begin-start.ts';
import type { Started } from './start-run.ts';
import { parseRequest, type StoredRequest } from './stored-request.ts';

/* Starts the run as soon as it is allowed, without anybody polling. */
export function watchHeld(context: ToolsContext, approvalId: string): void {
  const { gatekeeper, watchedApprovals, log, signal } = context;
  if (watchedApprovals.has(approvalId)) return;
  watchedApprovals.add(approvalId);
  const watch = async (): Promise<void> => {
    const approval = await gatekeeper.settled(approvalId, signal);
    if (approval.state === 'allowed') await startHeld(context, approval);
  };
  watch()
    .catch((error: unknown) => {
      if (!signal.aborted) log.warn('exec.held-failed', { approvalId, error });
    })
    .finally(() => watchedApprovals.delete(approvalId));
}

/* After a restart: what was held or allowed meanwhile. */
export function watchAllHeld(context: ToolsContext): void {
  for (const { approvalId } of context.gatekeeper.list({ states: ['pending', 'allowed'] })) {
    watchHeld(context, approvalId);
  }
}

/* Throws `approval-unusable`. Resolves to undefined when it has been started before. */
export async function startHeld(
  context: ToolsContext,
  approval: ApprovalRecord,
): Promise<Started | undefined> {
  const isKnown = context.supervisor.get(approval.runId as RunId) !== undefined;
  if (isKnown || context.starting.has(approval.runId)) return undefined;
  if (approval.state === 'started') throw unusable('it was used before', approval);
  if (approval.state !== 'allowed') throw unusable(`it is ${approval.state}`, approval);
  try {
    return await beginStart(context, approvedRequest(approval), { isIdPromised: true });
  } catch (error) {
    if (!hasCode(error, 'run-held')) throw error;
    /* Another process was faster, which is as good. */
    if (context.supervisor.get(approval.runId as RunId) !== undefined) return undefined;
    throw unusable('it was used before', approval);
  }
}

function approvedRequest(approval: ApprovalRecord): StoredRequest {
  const request = parseRequest(approval.request);
  const isSame =
    request.runId === approval.runId &&
    (request.stdin ?? '') === (approval.action.stdin ?? '') &&
    isDeepStrictEqual(request.action, approval.action);
  if (!isSame) throw unusable('the stored request is not the action that was approved', approval);
  return request;
}

function unusable(why: string, { approvalId, runId }: ApprovalRecord): ToolsError {
  return new ToolsError('approval-unusable', `approval ${approvalId} cannot be used: ${why}`, {
    detail: { approvalId, runId },
    hint: 'Ask for the command again.',
  });
}
