/*
 * Who may not decide: whoever belongs to the agent that asked, as far as the process tree tells.
 *
 * Refused is a decider that descends
 *   W1 from the processes the request came from (requester.ts): the agent's own shell tool, its hooks, its children;
 *   W2 from a run that an agent had started: shims adopt orphans, so forking away does not help;
 *   W3 from a shim that this registry does not know: nobody can say who started that run.
 * Descendants of a run that a person started may: that is how people work in a terminal that outlives its window.
 *
 * This is no wall: an agent with the same user id can write to the database, or have somebody else (systemd, cron, a
 * terminal multiplexer) start a process that descends from nobody. docs/approvals.md says what follows from that.
 */
import type { ApprovalStore, ProcessMark, StoredApproval } from '@clawdfather/supervisor';
import { parseMarks } from './requester.ts';

export interface Decider {
  /* The deciding process and its ancestors, nearest first. */
  readonly lineage: readonly ProcessMark[];
}

/* Fifteen characters is what the kernel keeps of a name. */
const shimComm = 'clawdfather-shim'.slice(0, 15);

/* A sentence, or undefined when nothing speaks against it. */
export function whyMayNotDecide(
  store: Pick<ApprovalStore, 'runOfShim'>,
  approval: Pick<StoredApproval, 'requesterMarks' | 'requester'>,
  { lineage }: Decider,
): string | undefined {
  const marks = parseMarks(approval.requesterMarks);
  const isRequester = lineage.some((mark) =>
    marks.some(({ pid, startTicks }) => mark.pid === pid && mark.startTicks === startTicks),
  );
  if (isRequester) return `this process belongs to ${approval.requester}, which asked for it`;
  for (const mark of lineage) {
    const run = store.runOfShim(mark);
    if (run === undefined) {
      if (!mark.comm.startsWith(shimComm)) continue;
      return `this process is inside a run that is not known here (shim ${mark.pid})`;
    }
    if (isAgents(run.labels['requester'])) {
      return `this process is inside run ${run.runId}, which ${run.labels['requester']} started`;
    }
  }
  return undefined;
}

/* What people start has no requester (`clf run`), or the command line itself (`clf exec`). */
function isAgents(requester: string | undefined): boolean {
  return requester !== undefined && requester !== 'cli' && !requester.startsWith('cli:');
}
