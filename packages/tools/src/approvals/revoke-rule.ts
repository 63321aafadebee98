/*
 * Taking back what was allowed for ever. It is a person's, as the allowing was (who-decides.ts), and code that serves agents never gets
 * this function. Rules are read at every command, so the next one is asked about again, in whatever process.
 *
 * A revoked rule stays on record, with who revoked it and when.
 */
import type { Clock } from '@clawdfather/kit';
import type { AllowRule, ApprovalStore } from '@clawdfather/supervisor';
import { revokedKeptMs } from './approval-limits.ts';
import { momentOf } from './approval-record.ts';
import { type Decider, whyMayNotDecide } from './who-decides.ts';

export interface Revocation {
  readonly ruleId: string;
  /* For the record: `cli:ann`. */
  readonly by: string;
  readonly decider: Decider;
}

export type RevokeOutcome =
  | { readonly kind: 'revoked'; readonly rule: AllowRule }
  /* It was revoked before: the rule says by whom. */
  | { readonly kind: 'over'; readonly rule: AllowRule }
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'unknown' };

export async function revokeRule(
  { store, clock }: { readonly store: ApprovalStore; readonly clock: Clock },
  { ruleId, by, decider }: Revocation,
): Promise<RevokeOutcome> {
  const rule = store.allowRule(ruleId);
  if (rule === undefined) return { kind: 'unknown' };
  const moment = momentOf(store.host, clock);
  // Whoever asked for what it came from may not decide about it; after a week nobody remembers who that was.
  const asked = store.approval(rule.approvalId, moment) ?? { requesterMarks: '[]', requester: '' };
  const why = whyMayNotDecide(store, asked, decider);
  if (why !== undefined) return { kind: 'refused', why };
  return store.write((tx): RevokeOutcome => {
    tx.forgetRules(moment.wallMs - revokedKeptMs);
    const isRevoked = tx.revokeRule(ruleId, by, moment.wallMs);
    const now = tx.allowRule(ruleId);
    if (now === undefined) return { kind: 'unknown' };
    return { kind: isRevoked ? 'revoked' : 'over', rule: now };
  });
}
