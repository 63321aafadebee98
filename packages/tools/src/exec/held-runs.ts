/*
 * Runs that wait for a person's decision.
 *
 * A held run has its id already and its request lies with the approval. A process that is alive when it is allowed starts it:
 * the one that asked, one that was started later, or the command line that decided. All of them may try, because the same id
 * starts once (S1), and the registry uses the approval up in the same transaction that records the start.
 *
 * What starts is what was approved: the approval is bound to the request, and the request is compared with the action that
 * a person was shown. What it is bound to beside is looked at again right before the start; if something is another by then, nothing
 * starts, and the same command is asked for anew under another id (A6). Whoever watches the first request watches the next.
 */
import { isDeepStrictEqual } from 'node:util';
import { hasCode, makeVisible } from '@clawdfather/kit';
import type { ExecResult } from '@clawdfather/protocol';
import type { RunId } from '@clawdfather/supervisor';
import type { ApprovalRecord, ApprovalSummary } from '../approvals/gatekeeper.ts';
import type { ToolsContext } from '../context.ts';
import { ToolsError } from '../errors.ts';
import { formatChanged } from '../output/changed-text.ts';
import { seenByRequest } from '../shield/seen-by-request.ts';
import { beginStart } from './begin-start.ts';
import type { Started } from './start-run.ts';
import { formatRequest, parseRequest, type StoredRequest } from './stored-request.ts';

type Held = Pick<ApprovalSummary, 'approvalId' | 'runId'>;

/* For whoever asked, until there is a decision. */
export function pendingResult(
  { heldIn }: Pick<ToolsContext, 'heldIn'>,
  {
    approvalId,
    runId,
    expiresAtMs,
    why,
  }: Pick<ApprovalSummary, 'approvalId' | 'runId' | 'expiresAtMs' | 'why'>,
): Extract<ExecResult, { status: 'approval-pending' }> {
  return {
    status: 'approval-pending',
    approvalId,
    runId,
    why: makeVisible(why),
    expiresAt: new Date(expiresAtMs).toISOString(),
    ...(heldIn === undefined ? {} : { stateDir: heldIn }),
  };
}

/* Read at a time when the tools are opened; what waits is bounded, so this is a few pages. */
const pageRows = 100;

/* Starts the run as soon as it is allowed, without a poll. */
export function watchHeld(context: ToolsContext, approvalId: string): void {
  const { gatekeeper, watchedApprovals, log, signal } = context;
  if (watchedApprovals.has(approvalId)) return;
  watchedApprovals.add(approvalId);
  const watch = async (): Promise<void> => {
    const approval = await gatekeeper.settled(approvalId, signal);
    if (approval.state === 'allowed') await startHeld(context, approval);
    if (approval.state === 'changed') watchNext(context, approval);
    // What it was asked with is dropped as soon as its time is over, and not only when the next one asks.
    if (approval.state === 'expired') await gatekeeper.settleLapsed();
  };
  watch()
    .catch((error: unknown) => {
      if (!signal.aborted) log.warn('exec.held-failed', { approvalId, error });
    })
    .finally(() => watchedApprovals.delete(approvalId));
}

/* After a restart: what was held or allowed meanwhile. Short rows are read; a request only when it starts. */
export function watchAllHeld(context: ToolsContext): void {
  const { gatekeeper, log } = context;
  const states = ['pending', 'allowed'] as const;
  for (let offset = 0; ; offset += pageRows) {
    const page = gatekeeper.list({ states, limit: pageRows, offset });
    for (const { approvalId } of page) watchHeld(context, approvalId);
    if (page.length < pageRows) break;
  }
  gatekeeper.settleLapsed().catch((error: unknown) => log.warn('exec.lapsed-unsettled', { error }));
}

/* Throws `approval-unusable`, and `approval-changed` when it was asked for again. Resolves to undefined when it was started before. */
export async function startHeld(context: ToolsContext, held: Held): Promise<Started | undefined> {
  // Whoever asked second is told what became of it as well.
  const begun = context.starting.get(held.runId);
  await begun?.done;
  if (context.supervisor.get(held.runId as RunId) !== undefined) return undefined;
  const approval = context.gatekeeper.wholeApproval(held.approvalId);
  if (approval === undefined) throw unusable('it is not known any more', held);
  if (approval.state === 'started') throw unusable('it was used before', approval);
  if (approval.state === 'changed') throw changedError(context, approval);
  if (approval.state !== 'allowed') throw unusable(`it is ${approval.state}`, approval);
  // The first attempt has failed, and whoever made it was told why.
  if (begun !== undefined) return undefined;
  const approved = approvedRequest(approval);
  try {
    const request = { ...approved, allowedBy: `approval:${approval.approvalId}` };
    const confirm = (): Promise<void> => confirmOrThrow(context, approval, approved);
    const { binding } = approval;
    const directory = binding?.directory;
    return await beginStart(context, request, { isIdPromised: true, confirm, directory });
  } catch (error) {
    if (!hasCode(error, 'run-held')) throw error;
    /* Another process has started it. */
    if (context.supervisor.get(approval.runId as RunId) !== undefined) return undefined;
    throw whyNotStarted(context, approval);
  }
}

/* Throws what `startHeld` does. */
async function confirmOrThrow(
  context: ToolsContext,
  approval: ApprovalRecord,
  request: StoredRequest,
): Promise<void> {
  const requestFor = (runId: string): string => formatRequest({ ...request, runId });
  const { signal, shield } = context;
  // What is bound is a command of our own user.
  const seen = () => seenByRequest(shield, request);
  const confirmed = await context.gatekeeper.confirm(approval, { requestFor, seen, signal });
  switch (confirmed.kind) {
    case 'same':
      return;
    case 'changed':
      throw changedError(context, confirmed.approval);
    case 'unknown':
      throw unusable('the files that it is bound to could not be read in time', approval);
    case 'over':
      // Started by another process: the start is tried and finds that out by itself.
      if (context.gatekeeper.approval(approval.approvalId)?.state === 'started') return;
      throw whyNotStarted(context, approval);
  }
}

/* By what others have done meanwhile. */
function whyNotStarted(context: ToolsContext, held: Held): ToolsError {
  const now = context.gatekeeper.approval(held.approvalId);
  return now?.state === 'changed'
    ? changedError(context, now)
    : unusable('it was used before', held);
}

function watchNext(context: ToolsContext, { askedAgainAs }: ApprovalSummary): void {
  if (askedAgainAs !== undefined) watchHeld(context, askedAgainAs);
}

function changedError(context: ToolsContext, approval: ApprovalSummary): ToolsError {
  const { approvalId, runId, askedAgainAs } = approval;
  if (askedAgainAs !== undefined && !context.watchedApprovals.has(askedAgainAs)) {
    context.log.event('approval.changed', { approvalId, runId, askedAgainAs });
  }
  watchNext(context, approval);
  return new ToolsError('approval-changed', `nothing was started: ${formatChanged(approval)}`, {
    detail: { approvalId, runId, ...(askedAgainAs === undefined ? {} : { askedAgainAs }) },
    hint:
      askedAgainAs === undefined
        ? 'Ask for the command again.'
        : 'A person has to decide about the new request: clf approvals.',
  });
}

function approvedRequest(approval: ApprovalRecord): StoredRequest {
  const request = parseRequest(approval.request ?? '');
  const isSame =
    request.runId === approval.runId &&
    (request.stdin ?? '') === (approval.action.stdin ?? '') &&
    isDeepStrictEqual(request.action, approval.action);
  if (!isSame) throw unusable('the stored request is not the action that was approved', approval);
  return request;
}

function unusable(why: string, { approvalId, runId }: Held): ToolsError {
  return new ToolsError('approval-unusable', `approval ${approvalId} cannot be used: ${why}`, {
    detail: { approvalId, runId },
    hint: 'Ask for the command again.',
  });
}
