/*
 * A decision about what an agent asked for, over HTTP or a socket: by people, and by tokens that
 * have the scope and neither asked for it themselves nor prompted the agent that did (A5).
 *
 * A decision and the start are two things. If the gateway is killed in between, the next one starts what was allowed; if several
 * try, one does (A2).
 */
import { type Clock, CodedError, type Log, type Random } from '@clawdfather/kit';
import type { ApprovalDecision } from '@clawdfather/protocol';
import type { Store } from '@clawdfather/store';
import {
  type ApprovalRecord,
  decideApproval,
  type DecisionOutcome,
  type RulesForEver,
  rulesForEver,
  seenByStored,
} from '@clawdfather/tools';
import { ApiError, notFound } from '../http/api-error.ts';
import { actorOf, type Caller } from '../http/caller.ts';
import { formatTime } from '../http/format-time.ts';
import { auditOf } from '../http/handlers.ts';
import { type ApprovalAudit, decisionDetail } from './approval-audit.ts';
import { checkMayDecide } from './may-decide.ts';
import type { Runs } from './open-runs.ts';
import { seesAccount } from './whose-runs.ts';

export interface DecideParts {
  readonly runs: Runs;
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly approvalAudit: ApprovalAudit;
}

export interface Decision {
  readonly approvalId: string;
  readonly decision: ApprovalDecision;
  readonly reason: string | undefined;
  /* Of what was shown; absent: whatever it is. */
  readonly digest?: string | undefined;
  readonly caller: Caller;
  readonly ip: string;
  readonly traceId: string;
}

export interface DecidedApproval {
  readonly record: ApprovalRecord;
  /* Programs that need no approval from now on. */
  readonly rules: readonly string[];
  /* Allowed, and it could not be started: why. */
  readonly problem: string | null;
}

type Decided = Extract<DecisionOutcome, { readonly kind: 'decided' }>;

/* Throws an `ApiError`. */
export async function decideAsCaller(
  parts: DecideParts,
  decision: Decision,
): Promise<DecidedApproval> {
  const { approvalId, caller } = decision;
  // An approval never changes what it is about, so this holds when it is decided.
  const approval = findApproval(parts.runs, caller, approvalId);
  checkDigest(decision.digest, approval.actionHash);
  await checkMayDecide(parts, caller, approval);
  const action = 'approval.decide';
  const decided = await parts.approvalAudit.whileWriting(
    { action, target: approvalId },
    async () => {
      const { record, rules, ...rest } = await decide(parts, decision);
      const detail = { who: caller.name, ...decisionDetail(record, rules) };
      const entry = { ...auditOf(decision, action, detail), target: approvalId };
      await parts.store.forAccount(caller.accountId).auditLog.record(entry);
      return { record, rules, ...rest };
    },
  );
  const problem = decision.decision === 'deny' ? null : await start(parts, decided.record);
  return {
    record: findApproval(parts.runs, caller, approvalId),
    rules: decided.rules.map(({ namedPath }) => namedPath),
    problem,
  };
}

/* Decides nothing about something else than was shown. */
export function checkDigest(named: string | undefined, digest: string): void {
  if (named === undefined || named === digest) return;
  throw new ApiError('changed', 'this is not what was shown to you', {
    hint: 'Look at it again, and decide then.',
  });
}

export function findApproval(
  { gatekeeper }: Pick<Runs, 'gatekeeper'>,
  caller: Caller,
  id: string,
): ApprovalRecord {
  const summary = gatekeeper.approval(id);
  if (summary === undefined || !seesAccount(caller, summary.account)) throw notFound();
  const found = gatekeeper.wholeApproval(id);
  if (found === undefined) throw notFound();
  return found;
}

async function decide({ runs, clock, random }: DecideParts, asked: Decision): Promise<Decided> {
  const { approvalId, decision, reason, caller } = asked;
  if (caller.kind === 'token' && decision === 'allow-always') {
    // It changes what every agent of the account may do from now on.
    throw new ApiError('forbidden', 'allowing for ever is for people, signed in on a device');
  }
  const by = actorOf(caller);
  const outcome = await decideApproval(
    { ...storedRequests(runs), clock, random },
    { approvalId, decision, by, reason, decider: { credential: by } },
  );
  if (outcome.kind === 'decided') return outcome;
  throw refusalOf(outcome);
}

/* What allowing it for ever would add to the list. */
export function rulesAsCaller(
  { runs, clock }: Pick<DecideParts, 'runs' | 'clock'>,
  approvalId: string,
): Promise<RulesForEver> {
  return rulesForEver({ ...storedRequests(runs), clock }, approvalId);
}

function storedRequests({ approvals, allowlist, shield }: Runs) {
  const seenBy = (request: string) => seenByStored(shield, request);
  return { store: approvals, allowlist, seenBy };
}

function refusalOf(outcome: Exclude<DecisionOutcome, Decided>): ApiError {
  switch (outcome.kind) {
    case 'unknown':
      return notFound();
    case 'refused':
      return new ApiError('forbidden', `you may not decide this: ${outcome.why}`);
    case 'not-for-ever':
      return new ApiError('validation_error', `no rule could cover this: ${outcome.why}`, {
        hint: 'Allow it once.',
      });
    case 'over': {
      const { state, decision, decidedBy, decidedAtMs, reason } = outcome.record;
      if (state === 'expired') return new ApiError('expired', 'nobody decided in time');
      const decidedAt = formatTime(decidedAtMs);
      return new ApiError('already_decided', `${decidedBy ?? 'somebody'} has decided this before`, {
        detail: { state, decision, decidedBy, decidedAt, reason },
      });
    }
  }
}

/* Null when it runs, or when another process started it first; else what a person should know. */
async function start({ runs, log }: DecideParts, record: ApprovalRecord): Promise<string | null> {
  try {
    await runs.agentTools.startHeld(record);
    return null;
  } catch (error) {
    log.warn('approval.start-failed', { runId: record.runId, error });
    // The approval stays allowed until it lapses. Only errors with a code of ours are shown.
    return error instanceof CodedError ? error.message : 'it could not be started';
  }
}
