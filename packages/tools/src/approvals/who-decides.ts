/*
 * Who may not decide: processes that belong to an agent, as far as the process tree shows it.
 *
 *   WD1 Descendants of the processes the request came from (requester.ts): the agent's own shell tool, its hooks, its
 *      children.
 *   WD2 Processes inside a run, also one that a person started. Shims adopt orphans, so forking away does not help; and a run
 *      that an agent started with `clf run` looks like a person's.
 *   WD3 Processes that are not at a terminal, below the leader of that terminal's kernel session. A child of the agent that has
 *      left its parent (`setsid … &`) no longer descends from it, but it has no terminal, or is not below that leader.
 *   WD4 Over the network there is no process to look at. A device belongs to a person. An agent may hold a token, so a token that
 *      asked for a run does not decide about it.
 *
 * This is no wall: an agent with the same user id can write to the database, or open a terminal of its own.
 * docs/approvals.md says what follows from that.
 */
import type { ApprovalStore, ProcessMark, StoredApproval } from '@clawdfather/supervisor';
import { parseMarks } from './requester.ts';

export type Decider = ProcessDecider | CredentialDecider;

export interface CredentialDecider {
  /* `device:ID`, `token:ID`: as the request was marked with it. */
  readonly credential: string;
}

export interface ProcessDecider {
  /* The deciding process and its ancestors, nearest first. */
  readonly lineage: readonly ProcessMark[];
  /* It has a controlling terminal. */
  readonly isAtTerminal: boolean;
}

/* What shims and spawnd call themselves, and what the binary is called until then; the kernel keeps fifteen characters. */
const shimNames: readonly string[] = ['clf-shim', 'clf-spawnd', 'clawdfather-shi'];

export function isNamedAsShim({ comm }: Pick<ProcessMark, 'comm'>): boolean {
  return shimNames.includes(comm);
}

/* The reason of a refusal as a sentence; undefined when the caller may decide. */
export function whyMayNotDecide(
  store: Pick<ApprovalStore, 'runOfShim'>,
  approval: Pick<StoredApproval, 'requesterMarks' | 'requester'>,
  decider: Decider,
): string | undefined {
  const marks = parseMarks(approval.requesterMarks);
  if ('credential' in decider) {
    const { credential } = decider;
    const isOwn = marks.some((mark) => 'credential' in mark && mark.credential === credential);
    return isOwn ? `it was asked for with ${credential}, which cannot decide it` : undefined;
  }
  const { lineage, isAtTerminal } = decider;
  const isRequester = lineage.some((mark) =>
    marks.some(
      (asked) => 'pid' in asked && mark.pid === asked.pid && mark.startTicks === asked.startTicks,
    ),
  );
  if (isRequester) return `this process belongs to ${approval.requester}, which asked for it`;
  const shim = lineage.find((mark) => isNamedAsShim(mark) || store.runOfShim(mark) !== undefined);
  if (shim !== undefined) {
    const run = store.runOfShim(shim)?.runId ?? 'that is not known here';
    return `this process is inside a run (${run})`;
  }
  if (!isAtTerminal) return 'this process has no terminal, and decisions are made at one';
  const leader = lineage[0]?.kernelSessionId;
  return lineage.some(({ pid }) => pid === leader)
    ? undefined
    : 'this process was cut off from the terminal it came from';
}
