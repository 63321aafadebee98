/*
 * Where an agent is that asks with the tools of this machine: in a run, or in none. The process tree says so and not the environment, which
 * the agent could change; shims adopt orphans, so forking away does not help. Who led to the request is found out from there.
 */
import type { ApprovalStore, ProcessMark } from '@clawdfather/supervisor';
import { noRun, unknownRun } from '@clawdfather/supervisor/origins';
import { isNamedAsShim } from './who-decides.ts';

/* `lineage` is the asking process and its ancestors, nearest first. The value of `askedInLabel`. */
export function askedInOf(
  store: Pick<ApprovalStore, 'runOfShim'>,
  lineage: readonly ProcessMark[],
): string {
  for (const mark of lineage) {
    const run = store.runOfShim(mark);
    if (run !== undefined) return run.runId;
    // Of another registry, or one that is not written yet.
    if (isNamedAsShim(mark)) return unknownRun;
  }
  // Further up than we can see may be anything.
  return lineage.at(-1)?.pid === 1 ? noRun : unknownRun;
}
