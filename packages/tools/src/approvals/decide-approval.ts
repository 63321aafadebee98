/*
 * A person's decision. It is kept apart from the gatekeeper on purpose: code that serves agents never gets this function.
 *
 * Everything is read and written in one transaction, so of two people exactly one decides and the other is told
 * who did (A1). Allowing does not start the run. A caller that gets `decided` may start it; otherwise the next process that
 * reads the approvals does.
 *
 * `allow-always` also stores rules: for each program of the action that was not on the list, where its name leads and the file it
 * is, at this moment. A rule is about the program with any arguments. Where no rule could cover the action (a line that
 * writes to a file, say), there is nothing to store, and it is refused with the reason instead of meaning less than it says.
 */
import type { Clock, Random } from '@clawdfather/kit';
import { approvalLifetimeMs, type ApprovalDecision } from '@clawdfather/protocol';
import type {
  AllowRule,
  ApprovalMoment,
  ApprovalStore,
  ApprovalWrites,
} from '@clawdfather/supervisor';
import type { Allowlist } from './allowlist.ts';
import { sentenceCharactersMax } from './approval-limits.ts';
import { momentOf, readWhole } from './approval-record.ts';
import type { FoundProgram } from './find-program.ts';
import type { ApprovalRecord } from './gatekeeper.ts';
import { nextApproval } from './next-approval.ts';
import { ruleAccountOf } from './rule-account.ts';
import { type RulesForEver, rulesForEver } from './rules-for-ever.ts';
import type { SeenFiles } from './seen-files.ts';
import { cutText } from './shown-command.ts';
import { type Decider, whyMayNotDecide } from './who-decides.ts';

export interface DecideDeps {
  readonly store: ApprovalStore;
  readonly allowlist: Allowlist;
  readonly clock: Clock;
  readonly random: Random;
  /* Where the command of a stored request finds what it names. Absent, or undefined: where we do. */
  readonly seenBy?: ((request: string) => Promise<SeenFiles | undefined>) | undefined;
}

export interface DecisionInput {
  readonly approvalId: string;
  readonly decision: ApprovalDecision;
  /* For the record, and for a person who decides later: `cli:ann`. */
  readonly by: string;
  readonly reason?: string | undefined;
  readonly decider: Decider;
}

export type DecisionOutcome =
  | {
      readonly kind: 'decided';
      readonly record: ApprovalRecord;
      /* What was allowed for ever by this. */
      readonly rules: readonly AllowRule[];
    }
  /* It was decided before, or it has lapsed: the record says which. */
  | { readonly kind: 'over'; readonly record: ApprovalRecord }
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'not-for-ever'; readonly why: string }
  | { readonly kind: 'unknown' };

export async function decideApproval(
  { store, allowlist, clock, random, seenBy }: DecideDeps,
  input: DecisionInput,
): Promise<DecisionOutcome> {
  const { approvalId, decision, reason, by } = input;
  const moment = momentOf(store.host, clock);
  const stored = store.approval(approvalId, moment);
  if (stored === undefined) return { kind: 'unknown' };
  const refusal = whyMayNotDecide(store, stored, input.decider);
  if (refusal !== undefined) return { kind: 'refused', why: refusal };
  // Files are looked at before the transaction: it may run twice and must touch nothing else.
  const rules: RulesForEver =
    decision === 'allow-always'
      ? await rulesForEver({ store, allowlist, clock, seenBy }, approvalId)
      : { kind: 'rules', programs: [] };
  if (rules.kind === 'not-for-ever') return rules;
  const programs = rules.programs.map((program) => ({ ...program, ruleId: random.id() }));
  return store.write((tx): DecisionOutcome => {
    const record = readWhole(tx, approvalId, moment);
    if (record === undefined) return { kind: 'unknown' };
    const event = decision === 'deny' ? 'deny' : 'allow';
    const next = nextApproval(record.state, event);
    if (next === record.state || (next !== 'allowed' && next !== 'denied')) {
      // A4: one that was changed reads as denied while it is stored as pending; from now on every reading says so.
      const { decidedBy = by, reason: decisionReason } = record;
      const found = { state: 'denied', decidedBy, decisionReason } as const;
      if (record.state === 'denied') tx.changeApproval(approvalId, 'pending', found);
      return { kind: 'over', record };
    }
    const isChanged = tx.changeApproval(approvalId, 'pending', {
      state: next,
      // From here on it lapses if it is not started (A3).
      bootId: moment.bootId,
      lapsesBootMs: moment.bootMs + approvalLifetimeMs,
      decision,
      decidedBy: by,
      decidedAtMs: moment.wallMs,
      decisionReason: reason === undefined ? undefined : cutText(reason, sentenceCharactersMax),
    });
    if (!isChanged) return { kind: 'over', record };
    storeRules(tx, programs, { record, input, moment });
    const decided = readWhole(tx, approvalId, moment) ?? record;
    const made = tx.rules({ approvalId, limit: programs.length });
    return { kind: 'decided', record: decided, rules: made.toReversed() };
  });
}

function storeRules(
  tx: ApprovalWrites,
  programs: readonly (FoundProgram & { readonly ruleId: string })[],
  parts: {
    readonly record: ApprovalRecord;
    readonly input: DecisionInput;
    readonly moment: ApprovalMoment;
  },
): void {
  const { record, input, moment } = parts;
  for (const { ruleId, namedPath, realPath } of programs) {
    tx.insertAllowRule({
      ruleId,
      account: ruleAccountOf(record),
      namedPath,
      realPath,
      approvalId: record.approvalId,
      addedBy: input.by,
      addedAtMs: moment.wallMs,
    });
  }
}
