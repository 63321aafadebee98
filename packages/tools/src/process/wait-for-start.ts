/*
 * Waiting for a run to exist: for the decision about a held one, then for its start.
 */
import { hasCode, makeVisible, type TimeLimit, unlessAborted } from '@clawdfather/kit';
import { type PollResult } from '@clawdfather/protocol';
import { outputStart, type RunId, type RunRecord } from '@clawdfather/supervisor';
import type { ApprovalSummary } from '../approvals/gatekeeper.ts';
import type { ToolsContext } from '../context.ts';
import { isWithdrawn } from '../approvals/withdrawn.ts';
import { pendingResult, startHeld } from '../exec/held-runs.ts';
import { formatChanged } from '../output/changed-text.ts';
import type { FoundRun } from './find-run.ts';

export type StartWait =
  | { readonly kind: 'run'; readonly record: RunRecord }
  | { readonly kind: 'not-yet'; readonly result: PollResult };

export async function waitForStart(
  context: ToolsContext,
  found: FoundRun,
  limit: Pick<TimeLimit, 'signal'>,
): Promise<StartWait> {
  if (found.kind === 'run') return found;
  if (found.kind === 'starting') {
    const { done, failure } = found.start;
    await unlessAborted(done, limit.signal);
    const failed = failure();
    // What was held says itself what became of it, and so does what has a record.
    const isKnown =
      context.gatekeeper.approvalOf(found.runId) !== undefined ||
      context.supervisor.get(found.runId as RunId) !== undefined;
    if (failed !== undefined && !isKnown) throw failed;
    return recordOr(context, found.runId);
  }
  const approval = checked(context, await decisionOf(context, found.approval, limit));
  const { state, runId } = approval;
  if (state === 'pending') return { kind: 'not-yet', result: pendingResult(context, approval) };
  if (state === 'denied' || state === 'expired' || state === 'changed') {
    return { kind: 'not-yet', result: denied(context, approval) };
  }
  const starting = startHeld(context, approval).catch((error: unknown) => {
    /* What became of it is read below. */
    if (!hasCode(error, 'approval-changed')) throw error;
  });
  /* The caller that waits for the start is told; the next poll finds the record. */
  starting.catch(() => undefined);
  await unlessAborted(starting, limit.signal);
  await unlessAborted(context.starting.get(runId)?.done ?? Promise.resolve(), limit.signal);
  return recordOr(context, runId);
}

/* A4: a caller is told that it was allowed only after the request was checked. */
function checked({ gatekeeper }: ToolsContext, approval: ApprovalSummary): ApprovalSummary {
  if (approval.state !== 'allowed') return approval;
  return gatekeeper.wholeApproval(approval.approvalId) ?? approval;
}

async function decisionOf(
  { gatekeeper }: ToolsContext,
  approval: ApprovalSummary,
  limit: Pick<TimeLimit, 'signal'>,
): Promise<ApprovalSummary> {
  if (approval.state !== 'pending' || limit.signal.aborted) return approval;
  try {
    return await gatekeeper.settled(approval.approvalId, limit.signal);
  } catch (error) {
    if (limit.signal.aborted) return approval;
    throw error;
  }
}

function recordOr(context: ToolsContext, runId: string): StartWait {
  const record = context.supervisor.get(runId as RunId);
  if (record !== undefined) return { kind: 'run', record };
  const approval = context.gatekeeper.approvalOf(runId);
  if (approval?.state === 'changed') return { kind: 'not-yet', result: denied(context, approval) };
  const notes = ['it has not started yet'];
  const rest = { output: '', cursor: outputStart, waitingForInput: false, notes };
  return { kind: 'not-yet', result: { status: 'running', runId, ...rest } };
}

function denied(context: ToolsContext, approval: ApprovalSummary): PollResult {
  const { runId, state, decidedBy: by = 'clawdfather' } = approval;
  if (state === 'changed') return changed(context, approval);
  if (state === 'expired') {
    return {
      status: 'denied',
      runId,
      rule: 'approval: nobody decided in time',
      by,
      cause: 'expired',
    };
  }
  const reason = approval.reason === undefined ? undefined : makeVisible(approval.reason);
  const rule = `approval: denied${reason === undefined ? '' : `: ${reason}`}`;
  if (isWithdrawn(approval)) return { status: 'denied', runId, rule, by, cause: 'withdrawn' };
  // Nobody decided where nobody is named: the record was changed.
  const cause = by === 'clawdfather' ? 'policy' : 'person';
  return { status: 'denied', runId, rule, by, cause, ...(reason === undefined ? {} : { reason }) };
}

function changed({ gatekeeper }: ToolsContext, approval: ApprovalSummary): PollResult {
  const { runId, askedAgainAs } = approval;
  const next = askedAgainAs === undefined ? undefined : gatekeeper.approval(askedAgainAs);
  const rule = `approval: ${formatChanged(approval)}${next === undefined ? '' : `, run ${next.runId}`}`;
  const askedAgain = next && { approvalId: next.approvalId, runId: next.runId };
  const by = 'clawdfather';
  const cause = 'changed';
  return { status: 'denied', runId, rule, by, cause, ...(askedAgain && { askedAgain }) };
}
