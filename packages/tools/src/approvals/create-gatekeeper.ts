/*
 * The gatekeeper: asks the allowlist, then the policy, and holds what a person has to decide.
 *
 * Stages of `check`: 1 variables that may never be added are denied · 2 the allowlist answers, and for a
 * match how far the command may reach · 3 the policy answers · 4 a request for a person is stored (hold-request.ts), with the run's id and
 * all that is needed to start it later. A command that a person allowed is not confined.
 *
 * There is no way to decide here. Deciding is `decideApproval`, which only the command line and the gateway's routes for
 * people are given.
 */
import type { ApprovalMoment, Confinement, StoredApproval } from '@clawdfather/supervisor';
import { checkEnvAdditions } from '../environment/check-additions.ts';
import type { Allowlist, AllowlistMiss } from './allowlist.ts';
import { momentOf, readWhole, summaryOfStored } from './approval-record.ts';
import { confirmApproval } from './confirm-approval.ts';
import { decidePolicy, type Policy, type StricterWish } from './decide-policy.ts';
import type { ApprovalSummary, Gatekeeper, Proposal, Verdict } from './gatekeeper.ts';
import { type HoldDeps, holdRequest } from './hold-request.ts';
import { ruleAccountOf } from './rule-account.ts';
import { waitSettled } from './settled.ts';
import type { StarterReach } from './starter-reach.ts';
import { withdrawnReason } from './withdrawn.ts';

export interface GatekeeperDeps extends HoldDeps {
  readonly allowlist: Allowlist;
  /* How far what the starter list lets through reaches. */
  readonly reach: StarterReach;
  readonly policy: Policy;
  /* Why everything is asked about, if it is: agents' commands are, where they cannot be shielded. */
  readonly whyAlwaysAsk?: (() => Promise<string | undefined>) | undefined;
}

export function createGatekeeper(deps: GatekeeperDeps): Gatekeeper {
  const { store, clock } = deps;
  const now = (): ApprovalMoment => momentOf(store.host, clock);
  const summaryOf = (stored: StoredApproval | undefined): ApprovalSummary | undefined =>
    stored === undefined ? undefined : summaryOfStored(stored);
  return {
    check: (proposal) => check(deps, proposal),
    approval: (approvalId) => summaryOf(store.approval(approvalId, now())),
    approvalOf: (runId) => summaryOf(store.approvalOfRun(runId, now())),
    wholeApproval: (approvalId) => readWhole(store, approvalId, now()),
    list: (page) => store.approvals(page, now()).map(summaryOfStored),
    count: (filter) => store.countApprovals(filter, now()),
    confirm: (approval, again) => confirmApproval(deps, approval, again),
    withdraw: (approvalId, by) => {
      const { wallMs } = now();
      const taken = { decision: 'deny', decidedBy: by, decidedAtMs: wallMs } as const;
      const reason = { decisionReason: withdrawnReason };
      return store.write((tx) =>
        tx.changeApproval(approvalId, 'pending', { state: 'denied', ...taken, ...reason }),
      );
    },
    settleLapsed: () => store.write((tx) => tx.settleLapsed(now())),
    settled: (approvalId, signal) => waitSettled({ store, clock, approvalId, signal }),
  };
}

/*
 * On a host of which a person has said that nothing is asked about, only that nothing is to start at all counts more. Whether agents
 * are shielded here is no question there: the command reaches nothing of this machine.
 */
const hostPolicy: Policy = { security: 'full', ask: 'off' };

function check(deps: GatekeeperDeps, proposal: Proposal): Promise<Verdict> {
  const isAllowed = proposal.isHostFullyAllowed === true && deps.policy.security !== 'deny';
  if (!isAllowed) return checkBy(deps, proposal, 'security: full');
  const own = { ...deps, policy: hostPolicy, whyAlwaysAsk: undefined };
  return checkBy(own, proposal, 'host policy: full');
}

async function checkBy(
  deps: GatekeeperDeps,
  proposal: Proposal,
  fullRule: string,
): Promise<Verdict> {
  const { action, stricter } = proposal;
  const [refused] = checkEnvAdditions(action.envAdditions);
  if (refused !== undefined && deps.policy.security !== 'full') {
    return denied(`environment: ${refused.name} ${refused.why}`);
  }
  const whyAlways = await deps.whyAlwaysAsk?.();
  const wish: StricterWish =
    whyAlways === undefined ? (stricter ?? {}) : { ...stricter, ask: 'always' };
  // Looking programs up is the most expensive step, and is not needed where everything is allowed.
  if (decidePolicy(deps.policy, wish, false) === 'allow') {
    return { kind: 'allowed', rule: fullRule, rules: [] };
  }
  const isEverythingAsked = decidePolicy(deps.policy, wish, true) !== 'allow';
  const answer = await judge(deps, proposal, isEverythingAsked);
  switch (decidePolicy(deps.policy, wish, answer.kind === 'match')) {
    case 'allow':
      return allowed(answer);
    case 'deny':
      if (isDenyAll(deps, proposal)) return denied('security: deny');
      return denied(
        answer.kind === 'miss' ? `allowlist: ${answer.why}` : 'ask: off, so nobody is asked',
      );
    case 'ask':
      return answer.kind === 'miss' && answer.absent !== undefined
        ? { kind: 'absent', program: answer.absent }
        : holdRequest(deps, proposal, whyAlways ?? whyHeld(deps, proposal, answer));
  }
}

/* Programs are looked up with our rights. Another user must not learn from us which files exist and where links lead. */
const whyForUser = 'not everything that it runs is on the allowlist';

type Judged =
  | {
      readonly kind: 'match';
      readonly what: string;
      readonly rules?: readonly string[];
      readonly confine?: Confinement;
    }
  | AllowlistMiss;

/* Directories are only checked where the answer depends on them. */
async function judge(
  { allowlist, reach }: GatekeeperDeps,
  { action, asker, searchPath, directory, patience, ...proposal }: Proposal,
  isEverythingAsked: boolean,
): Promise<Judged> {
  const account = ruleAccountOf({ account: action.account, asker });
  const seen = await proposal.seen?.();
  const answer = allowlist.find({ ...action, account }, searchPath, seen);
  if (answer.kind === 'miss' && action.runAs !== undefined) {
    return { kind: 'miss', why: whyForUser, missing: answer.missing };
  }
  if (answer.kind === 'miss' || answer.by === 'person' || isEverythingAsked) return answer;
  const { what, readsFiles, filledIn } = answer;
  const found = await reach.find({ directory, cwd: action.cwd, readsFiles, seen, patience });
  if (found.kind === 'beyond') {
    // Nobody would guess it from the directory: neither `echo` nor the rest of the line reads anything.
    const because = filledIn === undefined ? '' : `${whyFilledIn(filledIn)}, and `;
    return { kind: 'miss', why: `${because}${found.why}`, missing: undefined };
  }
  return {
    kind: 'match',
    what,
    ...(found.confine === undefined ? {} : { confine: found.confine }),
  };
}

function whyFilledIn(word: string): string {
  return `the shell may fill in file names for ${word} (not if it is quoted)`;
}

function allowed(answer: Judged): Verdict {
  if (answer.kind === 'miss') throw new TypeError('a miss is not allowed by the list');
  const { what, rules = [], confine } = answer;
  return {
    kind: 'allowed',
    rule: `allowlist: ${what}`,
    rules,
    ...(confine === undefined ? {} : { confine }),
  };
}

function isDenyAll({ policy }: GatekeeperDeps, { stricter }: Proposal): boolean {
  return policy.security === 'deny' || stricter?.security === 'deny';
}

function denied(rule: string): Verdict {
  return { kind: 'denied', rule, by: 'policy' };
}

/* Either the list does not cover it, or the policy wants it, or the call did. */
function whyHeld({ policy }: GatekeeperDeps, { requester }: Proposal, answer: Judged): string {
  if (answer.kind === 'miss') return answer.why;
  return policy.ask === 'always'
    ? 'the policy asks about everything'
    : `${requester} wants a decision about it`;
}
