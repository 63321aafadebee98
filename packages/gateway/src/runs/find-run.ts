/*
 * The run or the held request that an id means to this caller. What belongs to others is not told from what does not exist.
 */
import type { RunId, RunRecord } from '@clawdfather/supervisor';
import type { ApprovalSummary } from '@clawdfather/tools';
import { ApiError, notFound } from '../http/api-error.ts';
import type { Caller } from '../http/caller.ts';
import type { Runs } from './open-runs.ts';
import { seesAccount, seesRun } from './whose-runs.ts';

export type FoundRun =
  | { readonly kind: 'run'; readonly record: RunRecord }
  /* It waits for a decision, was denied, or has been allowed and not started. */
  | { readonly kind: 'held'; readonly approval: ApprovalSummary };

type Lookup = Pick<Runs, 'supervisor' | 'gatekeeper' | 'takeOver'>;

export function findRun(runs: Lookup, caller: Caller, id: string): FoundRun {
  const record = runs.supervisor.get(id as RunId);
  if (record !== undefined) {
    if (!seesRun(caller, record)) throw notFound();
    runs.takeOver.lookAfter(record);
    return { kind: 'run', record };
  }
  const approval = runs.gatekeeper.approvalOf(id);
  // One that was started and has no run any more: the run was collected.
  if (approval === undefined || approval.state === 'started') throw notFound();
  if (!seesAccount(caller, approval.account)) throw notFound();
  return { kind: 'held', approval };
}

/* For what needs a process, or its output. */
export function findStarted(runs: Lookup, caller: Caller, id: string): RunRecord {
  const found = findRun(runs, caller, id);
  if (found.kind === 'run') return found.record;
  const { state, approvalId } = found.approval;
  throw new ApiError('not_running', 'the run has not started', {
    detail: { approval_id: approvalId, state },
  });
}
