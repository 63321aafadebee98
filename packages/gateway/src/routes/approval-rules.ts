/*
 * What people allowed for ever, over HTTP: those of the caller's account, and for the owner of the machine also what was allowed to
 * agents on it without the gateway.
 */
import type { Clock } from '@clawdfather/kit';
import type { AnswerOf, Api } from '@clawdfather/protocol/api';
import type { Store } from '@clawdfather/store';
import type { AllowRule } from '@clawdfather/supervisor';
import { canRunAnything, makeVisible, revokeRule } from '@clawdfather/tools';
import { ApiError, notFound } from '../http/api-error.ts';
import { actorOf, type Caller } from '../http/caller.ts';
import { formatTime } from '../http/format-time.ts';
import { auditOf, type Call, type Handlers } from '../http/handlers.ts';
import { type ApprovalAudit, revocationDetail } from '../runs/approval-audit.ts';
import type { Runs } from '../runs/open-runs.ts';
import { accountsOf, seesAccount } from '../runs/whose-runs.ts';

interface RuleParts {
  readonly runs: Runs;
  readonly store: Store;
  readonly clock: Clock;
  readonly approvalAudit: ApprovalAudit;
}

type RuleJson = AnswerOf<Api['approvalRules']['get']>;

export function createApprovalRulesHandlers(parts: RuleParts): Handlers<Api['approvalRules']> {
  const { approvals } = parts.runs;
  return {
    list: async ({ caller, query: { limit, offset, revoked } }) => {
      const filter = { accounts: accountsOf(caller), isRevokedToo: revoked === 'true' };
      const items = approvals.rules({ ...filter, limit, offset }).map(ruleJson);
      return { items, total: approvals.countRules(filter), limit, offset };
    },
    get: async ({ caller, params }) => ruleJson(findRule(parts, caller, params.id)),
    revoke: (call) => revoke(parts, call),
  };
}

function findRule({ runs }: RuleParts, caller: Caller, id: string): AllowRule {
  const rule = runs.approvals.allowRule(id);
  if (rule === undefined || !seesAccount(caller, rule.account)) throw notFound();
  return rule;
}

async function revoke(
  parts: RuleParts,
  call: Call<Api['approvalRules']['revoke']>,
): Promise<RuleJson> {
  const { caller, params } = call;
  const { ruleId } = findRule(parts, caller, params.id);
  const by = actorOf(caller);
  const action = 'rule.revoke';
  return parts.approvalAudit.whileWriting({ action, target: ruleId }, async () => {
    const outcome = await revokeRule(
      { store: parts.runs.approvals, clock: parts.clock },
      { ruleId, by, decider: { credential: by } },
    );
    if (outcome.kind === 'unknown') throw notFound();
    if (outcome.kind === 'refused') {
      throw new ApiError('forbidden', `you may not revoke this: ${outcome.why}`);
    }
    const { rule } = outcome;
    if (outcome.kind === 'over') throw revokedBefore(rule);
    const detail = { who: caller.name, ...revocationDetail(rule) };
    const entry = { ...auditOf(call, action, detail), target: ruleId };
    await parts.store.forAccount(caller.accountId).auditLog.record(entry);
    return ruleJson(rule);
  });
}

function revokedBefore({ revokedBy, revokedAtMs }: AllowRule): ApiError {
  return new ApiError('already_decided', `${revokedBy ?? 'somebody'} has revoked this before`, {
    detail: { revokedBy, revokedAt: formatTime(revokedAtMs) },
  });
}

function ruleJson(rule: AllowRule): RuleJson {
  return {
    id: rule.ruleId,
    program: makeVisible(rule.namedPath),
    file: makeVisible(rule.realPath),
    runsAnything: canRunAnything(rule),
    account: rule.account,
    approvalId: rule.approvalId,
    addedBy: rule.addedBy,
    addedAt: formatTime(rule.addedAtMs),
    uses: rule.usedCount,
    lastUsedAt: formatTime(rule.lastUsedAtMs),
    revokedBy: rule.revokedBy ?? null,
    revokedAt: formatTime(rule.revokedAtMs),
  };
}
