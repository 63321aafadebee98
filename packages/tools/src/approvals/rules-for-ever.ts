/*
 * What would be allowed for ever with a request: the programs of its action that are not on the list, at this moment. A person reads
 * it before deciding, and the decision stores it.
 *
 * Where no rule could cover the action there is a reason, so that allowing for ever never means less, or more, than it says.
 */
import type { Clock } from '@clawdfather/kit';
import type { ApprovalStore } from '@clawdfather/supervisor';
import type { Allowlist, AllowlistAnswer } from './allowlist.ts';
import { momentOf, readWhole } from './approval-record.ts';
import type { FoundProgram } from './find-program.ts';
import { ruleAccountOf } from './rule-account.ts';
import type { SeenFiles } from './seen-files.ts';

export interface RulesForEverDeps {
  readonly store: ApprovalStore;
  readonly allowlist: Allowlist;
  readonly clock: Clock;
  /* Where the command of a stored request finds what it names. Absent, or undefined: where we do. */
  readonly seenBy?: ((request: string) => Promise<SeenFiles | undefined>) | undefined;
}

export type RulesForEver =
  | { readonly kind: 'rules'; readonly programs: readonly FoundProgram[] }
  | { readonly kind: 'not-for-ever'; readonly why: string };

export async function rulesForEver(
  deps: RulesForEverDeps,
  approvalId: string,
): Promise<RulesForEver> {
  const answer = await find(deps, approvalId);
  // It was asked about although the list covers it, or it is over: nothing to add.
  if (answer === undefined) return { kind: 'rules', programs: [] };
  if (answer.kind === 'match' && !(answer.by === 'starter' && answer.readsFiles)) {
    return { kind: 'rules', programs: [] };
  }
  // A rule would let it read everything from then on, which is more than was shown.
  if (answer.kind === 'match') return { kind: 'not-for-ever', why: whyNoRule(answer.what) };
  if (answer.missing === undefined) return { kind: 'not-for-ever', why: answer.why };
  return { kind: 'rules', programs: answer.missing };
}

async function find(
  { store, allowlist, clock, seenBy }: RulesForEverDeps,
  approvalId: string,
): Promise<AllowlistAnswer | undefined> {
  const shown = readWhole(store, approvalId, momentOf(store.host, clock));
  const body = store.approvalBody(approvalId);
  if (shown?.state !== 'pending' || body === undefined) return undefined;
  // A rule names the paths of its programs, which another user must not learn from us.
  if (shown.action.runAs !== undefined)
    return { kind: 'miss', why: noRuleForUsers, missing: undefined };
  const account = ruleAccountOf(shown);
  const seen = await seenBy?.(body.request);
  return allowlist.find({ ...shown.action, account }, body.searchPath, seen);
}

const noRuleForUsers =
  'it runs as a Unix user of its own, for whom programs are allowed by policy.allow in the settings alone';

function whyNoRule(what: string): string {
  return `beyond the working tree, ${what} is asked about each time; policy.allow in the settings would let it read everything`;
}
