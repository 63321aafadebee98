/*
 * Whether what was approved is what would run now (A6): the last look before a start, in whatever process starts it.
 *
 * A difference is written down in one transaction: the approval ends as `changed`, with what was another, and the same command is asked
 * for anew with the present state. So a process that is killed at any moment leaves either an approval that the next process looks
 * at again, or the new request; of two processes that look at once one writes; and a start that was faster stands, because only
 * `allowed` leads to either (A2). The new request is of whoever asked before, who may decide it as little.
 *
 * Between this look and the kernel's own, files can still be changed (docs/approvals.md). The caller starts right after it.
 */
import { startTimeLimit } from '@clawdfather/kit';
import type { StoredApproval } from '@clawdfather/supervisor';
import { boundLookMs, sentenceCharactersMax } from './approval-limits.ts';
import { momentOf, summaryOfStored } from './approval-record.ts';
import { type Binding, differenceOf, formatBinding, type PresentState } from './binding.ts';
import type { ApprovalRecord, Confirmation, Reconsideration } from './gatekeeper.ts';
import { type HoldDeps, newApproval, whyFull } from './hold-request.ts';
import { nextApproval } from './next-approval.ts';
import { readBinding } from './read-binding.ts';
import { cutText } from './shown-command.ts';

type ConfirmDeps = Pick<HoldDeps, 'store' | 'clock' | 'random'>;

export async function confirmApproval(
  deps: ConfirmDeps,
  approval: ApprovalRecord,
  again: Reconsideration,
): Promise<Confirmation> {
  const { action, binding } = approval;
  if (binding === undefined) return { kind: 'same' };
  const searchPath = deps.store.approvalBody(approval.approvalId)?.searchPath;
  if (searchPath === undefined) return present(deps, approval);
  const seen = await again.seen?.();
  using limit = startTimeLimit(deps.clock, boundLookMs, [again.signal]);
  const now = await readBinding({ action, searchPath, seen, signal: limit.signal });
  if (now === undefined) return { kind: 'unknown' };
  const difference = differenceOf(binding, now, action.cwd);
  if (difference === undefined) return { kind: 'same' };
  await askAgain(deps, { approval, again, searchPath, now, difference });
  return present(deps, approval);
}

/* What has become of it, here or in another process. */
function present({ store, clock }: ConfirmDeps, { approvalId }: ApprovalRecord): Confirmation {
  const stored = store.approval(approvalId, momentOf(store.host, clock));
  if (stored?.state !== 'changed') return { kind: 'over' };
  return { kind: 'changed', approval: summaryOfStored(stored) };
}

interface Changed {
  readonly approval: ApprovalRecord;
  readonly again: Reconsideration;
  readonly searchPath: string;
  readonly now: PresentState;
  readonly difference: string;
}

function askAgain({ store, clock, random }: ConfirmDeps, changed: Changed): Promise<void> {
  const { approval, again, searchPath, now, difference } = changed;
  const { approvalId, action } = approval;
  const moment = momentOf(store.host, clock);
  const runId = random.id();
  const request = again.requestFor(runId);
  const binding = bindingOf(now);
  const what = cutText(difference, sentenceCharactersMax);
  return store.write((tx) => {
    const old = tx.approval(approvalId, moment);
    if (old === undefined) return;
    const before = summaryOfStored(old).state;
    const state = nextApproval(before, 'change');
    if (state !== 'changed' || state === before) return;
    tx.changeApproval(approvalId, before, { state, changed: what });
    // Where the directory is gone, nothing could be approved that could start.
    if (binding === undefined) return;
    const { labels, requester, requesterMarks } = old;
    const asked = { action, runId, request, searchPath, binding: formatBinding(binding) };
    const who = { labels, requester, requesterMarks, why: whyAgain(old, what) };
    const successor = newApproval(random, { ...asked, ...who }, moment);
    if (whyFull(tx, successor) !== undefined) return;
    tx.insertApproval(successor);
    tx.changeApproval(approvalId, state, { state, askedAgainAs: successor.approvalId });
  });
}

function bindingOf({ directory, ...rest }: PresentState): Binding | undefined {
  return directory === undefined ? undefined : { directory, ...rest };
}

function whyAgain({ approvalId, decidedBy = 'somebody' }: StoredApproval, what: string): string {
  return `${what} since it was asked for as ${approvalId}, which ${decidedBy} allowed`;
}
