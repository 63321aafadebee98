/*
 * Ending a run, and taking it out of the lists.
 *
 * What is held is taken back: nobody is asked any more and nothing can start. A run that lives, or whose leftovers do, is removed
 * only by force, which ends it first: what is not listed any more must not go on unseen.
 */
import type { Caller } from '../http/caller.ts';
import type { FoundRun } from './find-run.ts';
import type { Runs } from './open-runs.ts';
import { callAbout, callOf } from './run-call.ts';

export interface Ending {
  readonly caller: Caller;
  /* Ends the waiting; what was begun goes on. */
  readonly signal: AbortSignal;
}

export async function endRun(
  { agentTools }: Runs,
  found: FoundRun,
  { caller, signal, graceMs }: Ending & { readonly graceMs: number | undefined },
) {
  const { runId, call } = aboutFound(found, { caller, signal });
  const grace = graceMs === undefined ? {} : { graceMs };
  return agentTools.actions.kill({ runId, ...grace }, call);
}

/* Throws `run-running` for one that lives, unless it is forced. */
export async function removeRun(
  { agentTools }: Runs,
  found: FoundRun,
  { caller, signal, isForced }: Ending & { readonly isForced: boolean },
) {
  const { runId, call } = aboutFound(found, { caller, signal });
  if (isForced || found.kind === 'held') {
    return agentTools.actions.remove({ runId }, call);
  }
  await agentTools.actions.clear({ runId }, call);
  return { runId, isGone: true, survivors: [] };
}

function aboutFound(found: FoundRun, { caller, signal }: Ending) {
  if (found.kind === 'run') {
    const { record } = found;
    return { runId: record.runId, call: callAbout(caller, record, signal) };
  }
  const { runId, account } = found.approval;
  return { runId, call: callOf(caller, account, signal) };
}
