/*
 * The gatekeeper: asks the allowlist, then the policy, and holds what a person has to decide.
 *
 * Stages of `check`: 1 variables that may never be added are denied · 2 the allowlist is asked, and how far what it lets
 * through reaches · 3 the policy answers · 4 what is to be asked about is stored, with the run's id and all it takes to start it
 * later. What a person lets start is held in nothing.
 *
 * There is no way to decide here. Deciding is `decideApproval`, which only the command line and the gateway's routes for
 * people are given.
 */
import type { Clock, Random } from '@clawdfather/kit';
import { approvalLifetimeMs } from '@clawdfather/protocol';
import type { ApprovalStore, ApprovalWrites, Confinement } from '@clawdfather/supervisor';
import { checkEnvAdditions } from '../environment/check-additions.ts';
import { hashAction } from './action-hash.ts';
import { formatAction, hasLapsed, type Moment, momentOf, recordOf } from './approval-record.ts';
import { decidePolicy, type Policy } from './decide-policy.ts';
import type { Gatekeeper, Proposal, Verdict } from './gatekeeper.ts';
import type { Allowlist, AllowlistMiss } from './allowlist.ts';
import { formatMarks, type RequesterMark } from './requester.ts';
import { waitSettled } from './settled.ts';
import type { StarterReach } from './starter-reach.ts';

export interface GatekeeperDeps {
  readonly store: ApprovalStore;
  readonly allowlist: Allowlist;
  /* How far what the starter list lets through reaches. */
  readonly reach: StarterReach;
  readonly clock: Clock;
  readonly random: Random;
  readonly policy: Policy;
  /* The processes that may not decide what is asked for here: `requesterMarksOf`. Empty for a person. */
  readonly requesterMarks: readonly RequesterMark[];
}

/* An agent that asks in a loop must not bury what other agents ask. */
const pendingMax = 64;
/* With its input and environment. Nobody reads more before deciding, and all that waits is read at each look. */
const requestCharactersMax = 256 * 1024;
/* As long as runs are kept: who allowed what can be looked up as long as what came of it. */
const keptMs = 7 * 24 * 60 * 60 * 1000;

export function createGatekeeper(deps: GatekeeperDeps): Gatekeeper {
  const { store, clock } = deps;
  const now = (): Moment => momentOf(store.host, clock);
  return {
    check: (proposal) => check(deps, proposal),
    approvalOf: (runId) => {
      const stored = store.approvalOfRun(runId);
      return stored === undefined ? undefined : recordOf(stored, now());
    },
    list: ({ states } = {}) => {
      const moment = now();
      const records = store.approvals().map((stored) => recordOf(stored, moment));
      return states === undefined ? records : records.filter(({ state }) => states.includes(state));
    },
    withdraw: (approvalId, by) => {
      const { wallMs } = now();
      const taken = { decision: 'deny', decidedBy: by, decidedAtMs: wallMs } as const;
      const reason = { decisionReason: 'withdrawn' };
      return store.write((tx) =>
        tx.changeApproval(approvalId, 'pending', { state: 'denied', ...taken, ...reason }),
      );
    },
    settled: (approvalId, signal) => waitSettled({ store, clock, approvalId, signal }),
  };
}

async function check(deps: GatekeeperDeps, proposal: Proposal): Promise<Verdict> {
  const { action } = proposal;
  const [refused] = checkEnvAdditions(action.envAdditions);
  if (refused !== undefined && deps.policy.security !== 'full') {
    return denied(`environment: ${refused.name} ${refused.why}`);
  }
  const wish = proposal.stricter ?? {};
  // Looking programs up costs more than everything else here, and says nothing where all is allowed.
  if (decidePolicy(deps.policy, wish, false) === 'allow') {
    return { kind: 'allowed', rule: 'security: full' };
  }
  const isEverythingAsked = decidePolicy(deps.policy, wish, true) !== 'allow';
  const answer = await judge(deps, proposal, isEverythingAsked);
  switch (decidePolicy(deps.policy, wish, answer.kind === 'match')) {
    case 'allow':
      return allowed(answer);
    case 'deny':
      return denied(
        answer.kind === 'miss' && !isDenyAll(deps, proposal)
          ? `allowlist: ${answer.why}`
          : 'security: deny',
      );
    case 'ask':
      return hold(deps, proposal, answer);
  }
}

type Judged =
  | { readonly kind: 'match'; readonly what: string; readonly confine?: Confinement }
  | AllowlistMiss;

/* A look at directories is spared where the answer is the same without it. */
async function judge(
  { allowlist, reach }: GatekeeperDeps,
  { action, searchPath, directory, patience }: Proposal,
  isEverythingAsked: boolean,
): Promise<Judged> {
  const answer = allowlist.find(action, searchPath);
  if (answer.kind === 'miss' || answer.by === 'person' || isEverythingAsked) return answer;
  const { what, readsFiles } = answer;
  const found = await reach.find({ directory, cwd: action.cwd, readsFiles, patience });
  if (found.kind === 'beyond') return { kind: 'miss', why: found.why, missing: undefined };
  return {
    kind: 'match',
    what,
    ...(found.confine === undefined ? {} : { confine: found.confine }),
  };
}

function allowed(answer: Judged): Verdict {
  if (answer.kind === 'miss') throw new TypeError('a miss is not allowed by the list');
  const { what, confine } = answer;
  return {
    kind: 'allowed',
    rule: `allowlist: ${what}`,
    ...(confine === undefined ? {} : { confine }),
  };
}

function isDenyAll({ policy }: GatekeeperDeps, { stricter }: Proposal): boolean {
  return policy.security === 'deny' || stricter?.security === 'deny';
}

function denied(rule: string): Verdict {
  return { kind: 'denied', rule, by: 'policy' };
}

async function hold(deps: GatekeeperDeps, proposal: Proposal, answer: Judged): Promise<Verdict> {
  const { store, clock, random } = deps;
  const { action, runId, request, requester, searchPath } = proposal;
  if (request.length > requestCharactersMax) {
    return denied(
      'approvals: it is more than a person can look through; put the input into a file',
    );
  }
  const moment = momentOf(store.host, clock);
  const approval = {
    approvalId: random.id(),
    runId,
    actionHash: hashAction({ action, runId, request, searchPath }),
    action: formatAction(action),
    request,
    searchPath,
    requester,
    requesterMarks: formatMarks(deps.requesterMarks, proposal.credential),
    why: answer.kind === 'miss' ? answer.why : whyAsked(deps, proposal),
    bootId: moment.bootId,
    lapsesBootMs: moment.bootMs + approvalLifetimeMs,
    createdAtMs: moment.wallMs,
    expiresAtMs: moment.wallMs + approvalLifetimeMs,
  };
  return store.write((tx): Verdict => {
    tx.forgetApprovals({ createdAtMs: moment.wallMs - keptMs });
    settleLapsed(tx, moment);
    if (tx.approvals({ states: ['pending'] }).length >= pendingMax) {
      return denied(`approvals: ${pendingMax} are waiting already`);
    }
    if (tx.insertApproval(approval) === 'inserted') {
      return { kind: 'held', approvalId: approval.approvalId, expiresAtMs: approval.expiresAtMs };
    }
    // S1: the same run asked for twice is one run. Another action under its id is not.
    const known = tx.approvalOfRun(runId);
    if (known === undefined || known.actionHash !== approval.actionHash) {
      return denied('approvals: the run id belongs to another action');
    }
    return { kind: 'held', approvalId: known.approvalId, expiresAtMs: known.expiresAtMs };
  });
}

/* Either the policy wants it, or the call did. */
function whyAsked({ policy }: GatekeeperDeps, { requester }: Proposal): string {
  return policy.ask === 'always'
    ? 'the policy asks about everything'
    : `${requester} wants a decision about it`;
}

/* Readers see what has lapsed as expired anyway; written down, it is forgotten in its time. */
function settleLapsed(tx: ApprovalWrites, moment: Moment): void {
  for (const stored of tx.approvals({ states: ['pending', 'allowed'] })) {
    if (!hasLapsed(stored, moment)) continue;
    tx.changeApproval(stored.approvalId, stored.state, { state: 'expired' });
  }
}
