/*
 * Stores a request for a person: what was asked, all that is needed to start it later, and what it is bound to (binding.ts).
 *
 * The files are read here and not before: nothing is read for what runs unasked. The look at them has a time limit of its own, because
 * the caller chooses how long it waits, and must not choose what is bound with that. A request whose files cannot be
 * read in time is denied.
 */
import { type Clock, type Random, startTimeLimit } from '@clawdfather/kit';
import { approvalLifetimeMs } from '@clawdfather/protocol';
import {
  approvalBodyBytes,
  type ApprovalMoment,
  type ApprovalStore,
  type ApprovalWrites,
  type NewApproval,
} from '@clawdfather/supervisor';
import { localHost } from '@clawdfather/supervisor/origins';
import { hashAction } from './action-hash.ts';
import {
  boundLookMs,
  directoryCharactersMax,
  keptMax,
  keptMs,
  requestCharactersMax,
  requesterCharactersMax,
  sentenceCharactersMax,
  waitingBytesMax,
  waitingMax,
  waitingOverallBytesMax,
  waitingOverallMax,
} from './approval-limits.ts';
import { formatAction, momentOf } from './approval-record.ts';
import { formatBinding } from './binding.ts';
import type { ProposedAction, Proposal, Verdict } from './gatekeeper.ts';
import { readBinding } from './read-binding.ts';
import { formatMarks, type RequesterMark } from './requester.ts';
import { cutText, formatCommand } from './shown-command.ts';

export interface HoldDeps {
  readonly store: ApprovalStore;
  readonly clock: Clock;
  readonly random: Random;
  /* The processes that may not decide what is asked for here: `requesterMarksOf`. Empty for a person. */
  readonly requesterMarks: readonly RequesterMark[];
}

export async function holdRequest(
  deps: HoldDeps,
  proposal: Proposal,
  because: string,
): Promise<Verdict> {
  const { store, clock, random, requesterMarks } = deps;
  const { action, runId, request, searchPath, requester, labels = {} } = proposal;
  if (request.length > requestCharactersMax) {
    return denied('it is more than a person can look through; put the input into a file');
  }
  const bound = await bindingOf(deps, proposal);
  if (bound.kind === 'none') return denied(bound.why);
  const moment = momentOf(store.host, clock);
  const { binding } = bound;
  const marks = formatMarks(requesterMarks, proposal);
  const who = { labels, requester, requesterMarks: marks, why: because };
  const asked = { action, runId, request, searchPath, binding, ...who };
  const approval = newApproval(random, asked, moment);
  const { account } = approval;
  return store.write((tx): Verdict => {
    tx.forgetApprovals({ createdBeforeMs: moment.wallMs - keptMs, account, keptMax });
    tx.settleLapsed(moment, account);
    // S1: the same run asked for twice is one run. Another action under its id is not.
    const known = tx.approvalOfRun(runId, moment);
    if (known !== undefined && (known.askedHash ?? known.actionHash) !== approval.askedHash) {
      return denied('the run id belongs to another action');
    }
    if (known === undefined) {
      const full = whyFull(tx, approval);
      if (full !== undefined) return denied(full);
      tx.insertApproval(approval);
    }
    const { approvalId, expiresAtMs, why } = known ?? approval;
    return { kind: 'held', approvalId, expiresAtMs, why };
  });
}

function denied(why: string): Verdict {
  return { kind: 'denied', rule: `approvals: ${why}`, by: 'policy' };
}

type Bound =
  | { readonly kind: 'bound'; readonly binding: string | undefined }
  | { readonly kind: 'none'; readonly why: string };

async function bindingOf(
  { clock }: HoldDeps,
  { action, searchPath, seen }: Proposal,
): Promise<Bound> {
  if (!isBindable(action)) return { kind: 'bound', binding: undefined };
  const files = await seen?.();
  using limit = startTimeLimit(clock, boundLookMs, []);
  const found = await readBinding({ action, searchPath, seen: files, signal: limit.signal });
  if (found === undefined) {
    return { kind: 'none', why: 'the files that it names could not be read in time' };
  }
  const { directory } = found;
  if (directory === undefined) return { kind: 'none', why: 'its directory cannot be looked at' };
  return { kind: 'bound', binding: formatBinding({ ...found, directory }) };
}

/* Files of another machine are not within reach. Another user must not learn from us which files there are and what is in them. */
function isBindable({ host, runAs }: ProposedAction): boolean {
  return host === localHost && runAs === undefined;
}

export interface AskedFor extends Pick<Proposal, 'action' | 'runId' | 'request' | 'searchPath'> {
  readonly binding: string | undefined;
  readonly labels: Readonly<Record<string, string>>;
  readonly requester: string;
  readonly requesterMarks: string;
  readonly why: string;
}

export function newApproval(random: Random, asked: AskedFor, moment: ApprovalMoment): NewApproval {
  const { action, runId, request, searchPath, binding, labels } = asked;
  return {
    approvalId: random.id(),
    runId,
    actionHash: hashAction({ action, runId, request, searchPath, binding }),
    askedHash: hashAction({ action, runId, request, searchPath }),
    account: action.account,
    host: action.hostName ?? action.host,
    cwd: cutText(action.cwd, directoryCharactersMax),
    command: formatCommand(action.command),
    labels,
    body: { action: formatAction(action), request, searchPath, binding },
    requester: cutText(asked.requester, requesterCharactersMax),
    requesterMarks: asked.requesterMarks,
    why: cutText(asked.why, sentenceCharactersMax),
    bootId: moment.bootId,
    lapsesBootMs: moment.bootMs + approvalLifetimeMs,
    createdAtMs: moment.wallMs,
    expiresAtMs: moment.wallMs + approvalLifetimeMs,
  };
}

/* A sentence for the caller when there is no room. One account's requests never take the room of another's. */
export function whyFull(tx: ApprovalWrites, { account, body }: NewApproval): string | undefined {
  const bytes = approvalBodyBytes(body);
  const own = tx.waitingApprovals(account);
  if (own.count >= waitingMax) return `${waitingMax} are waiting already`;
  if (own.bytes + bytes > waitingBytesMax) {
    const mebibytes = waitingBytesMax / 1024 / 1024;
    return `what waits already and this are more than ${mebibytes} MiB; put the input into a file, or wait for a decision`;
  }
  const all = tx.waitingApprovals();
  const isRoom = all.count < waitingOverallMax && all.bytes + bytes <= waitingOverallBytesMax;
  return isRoom ? undefined : 'too much is waiting on this machine; try again after some decisions';
}
