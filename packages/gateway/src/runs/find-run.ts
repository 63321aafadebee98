/*
 * Finds the run or the held request with an id, for one caller. A run of another account looks like one that does not exist.
 */
import type { RunId, RunRecord } from '@clawdfather/supervisor';
import type { ApprovalSummary, Tools } from '@clawdfather/tools';
import { ApiError, notFound } from '../http/api-error.ts';
import type { Caller } from '../http/caller.ts';
import type { Runs } from './open-runs.ts';
import { type Reach, seesAccount, seesRun } from './whose-runs.ts';

export type FoundRun =
  | { readonly kind: 'run'; readonly record: RunRecord }
  /* It waits for a decision, was denied, or has been allowed and not started. */
  | { readonly kind: 'held'; readonly approval: ApprovalSummary }
  /* These tools are starting it, and it is not recorded yet. */
  | {
      readonly kind: 'starting';
      readonly runId: string;
      readonly account: string;
      readonly requester: string;
      readonly tools: Tools;
    };

type Lookup = Pick<Runs, 'supervisor' | 'gatekeeper' | 'takeOver' | 'personTools' | 'agentTools'>;

export interface Looker {
  readonly caller: Caller;
  readonly reach?: Reach | undefined;
}

/* Throws `not_found`. */
export function findRun(runs: Lookup, { caller, reach }: Looker, id: string): FoundRun {
  const record = runs.supervisor.get(id as RunId);
  if (record !== undefined) {
    if (!seesRun(caller, record, reach)) throw notFound();
    runs.takeOver.lookAfter(record);
    return { kind: 'run', record };
  }
  const found = notYetRecorded(runs, id);
  if (found === undefined) throw notFound();
  const { account } = found.kind === 'held' ? found.approval : found;
  if (!seesAccount(caller, account, reach)) throw notFound();
  return found;
}

function notYetRecorded(
  { agentTools, personTools, gatekeeper }: Lookup,
  runId: string,
): Exclude<FoundRun, { kind: 'run' }> | undefined {
  const approval = gatekeeper.approvalOf(runId);
  // The approval was used, and its run has been removed since.
  if (approval !== undefined && approval.state !== 'started') return { kind: 'held', approval };
  for (const tools of [agentTools, personTools]) {
    const begun = tools.startingFor(runId);
    if (begun === undefined) continue;
    const { account, requester } = begun;
    return { kind: 'starting', runId, account, requester, tools };
  }
  return undefined;
}

export function idOf(found: FoundRun): string {
  if (found.kind === 'run') return found.record.runId;
  return found.kind === 'held' ? found.approval.runId : found.runId;
}

/* For actions that need a process or its output. Throws `not_running`. */
export function startedOf(found: FoundRun): RunRecord {
  if (found.kind === 'run') return found.record;
  const detail =
    found.kind === 'held' ? heldDetail(found.approval) : { run_id: found.runId, state: 'starting' };
  throw new ApiError('not_running', 'the run has not started', {
    detail,
    hint: 'Poll it: that waits for its start.',
  });
}

function heldDetail(approval: ApprovalSummary): Readonly<Record<string, string>> {
  const { runId, approvalId, state, changed, askedAgainAs } = approval;
  return {
    run_id: runId,
    approval_id: approvalId,
    state,
    ...(changed === undefined ? {} : { changed }),
    ...(askedAgainAs === undefined ? {} : { asked_again_as: askedAgainAs }),
  };
}
