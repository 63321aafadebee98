/*
 * Approvals over HTTP: looked at by whoever may read, decided by people, and by tokens that were given the right to and did not
 * ask themselves (A5).
 *
 * A decision and the start are two things. If the gateway is killed in between, the next one starts what was allowed; if several
 * try, one does (A2).
 */
import { type Clock, CodedError, type Log } from '@clawdfather/kit';
import type { Api } from '@clawdfather/protocol/api';
import type { Store } from '@clawdfather/store';
import { type ApprovalRecord, decideApproval, type DecisionOutcome } from '@clawdfather/tools';
import { ApiError, notFound } from '../http/api-error.ts';
import { actorOf, type Caller } from '../http/caller.ts';
import { formatTime } from '../http/format-time.ts';
import { auditOf, type Call, type Handlers } from '../http/handlers.ts';
import { approvalJson } from '../runs/approval-json.ts';
import type { Runs } from '../runs/open-runs.ts';
import { seesAccount } from '../runs/whose-runs.ts';

export interface ApprovalsParts {
  readonly runs: Runs;
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
}

type DecideCall = Call<Api['approvals']['decide']>;
type Decided = Extract<DecisionOutcome, { readonly kind: 'decided' }>;

export function createApprovalsHandlers(parts: ApprovalsParts): Handlers<Api['approvals']> {
  const { runs, clock } = parts;
  return {
    list: async ({ caller, query: { state, limit, offset } }) => {
      const found = runs.gatekeeper
        .list(state === undefined ? {} : { states: [state] })
        .filter(({ action }) => seesAccount(caller, action.account));
      const nowMs = clock.wallMs();
      const page = found.slice(offset, offset + limit);
      const items = page.map((record) => approvalJson(record, nowMs));
      return { items, total: found.length, limit, offset };
    },
    get: async ({ caller, params }) =>
      approvalJson(findApproval(runs, caller, params.id), clock.wallMs()),
    decide: async (call) => {
      const { params, caller, body } = call;
      findApproval(runs, caller, params.id);
      const decided = await decide(parts, call);
      const detail = { decision: body.decision, run_id: decided.record.runId };
      const entry = auditOf(call, 'approval.decide', detail);
      await parts.store
        .forAccount(caller.accountId)
        .auditLog.record({ ...entry, target: params.id });
      const problem = body.decision === 'deny' ? null : await start(parts, decided.record);
      const record = findApproval(runs, caller, params.id);
      return {
        approval: approvalJson(record, clock.wallMs()),
        rules: decided.rules.map(({ namedPath }) => namedPath),
        problem,
      };
    },
  };
}

function findApproval({ approvals, gatekeeper }: Runs, caller: Caller, id: string): ApprovalRecord {
  const stored = approvals.approval(id);
  const found = stored === undefined ? undefined : gatekeeper.approvalOf(stored.runId);
  if (found === undefined || !seesAccount(caller, found.action.account)) throw notFound();
  return found;
}

async function decide(
  { runs, clock }: ApprovalsParts,
  { params, body, caller }: DecideCall,
): Promise<Decided> {
  if (caller.kind === 'token' && body.decision === 'allow-always') {
    // It changes what every agent of the account may do from now on.
    throw new ApiError('forbidden', 'allowing for ever is for people, signed in on a device');
  }
  const by = actorOf(caller);
  const outcome = await decideApproval(
    { store: runs.approvals, allowlist: runs.allowlist, clock },
    {
      approvalId: params.id,
      decision: body.decision,
      by,
      reason: body.reason,
      decider: { credential: by },
    },
  );
  if (outcome.kind === 'decided') return outcome;
  throw refusalOf(outcome);
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

/* Null when it runs, or somebody else was faster; else what a person should know. */
async function start(
  { runs, log }: ApprovalsParts,
  record: ApprovalRecord,
): Promise<string | null> {
  try {
    await runs.agentTools.startHeld(record);
    return null;
  } catch (error) {
    log.warn('approval.start-failed', { runId: record.runId, error });
    // What was allowed stays allowed until it lapses; only what we know how to say is said.
    return error instanceof CodedError ? error.message : 'it could not be started';
  }
}
