/*
 * A decision of the person in front of this terminal, or the reason why it is none.
 */
import { closeSync, openSync } from 'node:fs';
import type { ApprovalDecision } from '@clawdfather/protocol';
import { readLineage } from '@clawdfather/supervisor';
import { decideApproval, type DecisionOutcome, seenByStored } from '@clawdfather/tools';
import type { CommandContext } from '../command.ts';
import { CliError } from '../errors.ts';
import { formatEnd } from './approval-text.ts';
import { createShieldHere } from './create-shield-here.ts';
import type { Approvals } from './with-approvals.ts';
import { personHere } from '../runs/who-asks.ts';

export type Decided = Extract<DecisionOutcome, { kind: 'decided' }>;

export interface Decision {
  /* The whole id. */
  readonly approvalId: string;
  readonly decision: ApprovalDecision;
  readonly reason?: string | undefined;
}

export async function decide(
  { clock, random, config }: CommandContext,
  { store, allowlist }: Approvals,
  { approvalId, decision, reason }: Decision,
): Promise<Decided> {
  const shield = createShieldHere(config, clock);
  const seenBy = (request: string) => seenByStored(shield, request);
  const outcome = await decideApproval(
    { store, allowlist, clock, random, seenBy },
    {
      approvalId,
      decision,
      reason,
      by: personHere(),
      decider: { lineage: readLineage(config.pid), isAtTerminal: isAtTerminal() },
    },
  );
  if (outcome.kind === 'decided') return outcome;
  throw failureOf(outcome, approvalId);
}

function failureOf(outcome: Exclude<DecisionOutcome, Decided>, approvalId: string): CliError {
  const detail = { approvalId };
  switch (outcome.kind) {
    case 'over':
      return new CliError(
        'approval-decided',
        `approval ${approvalId} is decided: ${formatEnd(outcome.record) ?? 'it is over'}`,
        { detail },
      );
    case 'refused':
      return new CliError('approval-refused', `you may not decide this: ${outcome.why}`, {
        detail,
        hint: 'Decide in a terminal of your own, outside of any run; over ssh, ask for one with -t.',
      });
    case 'not-for-ever':
      return new CliError('approval-not-for-ever', `no rule could cover this: ${outcome.why}`, {
        detail,
        hint: `Allow it this once: clf allow ${approvalId}`,
      });
    case 'unknown':
      return new CliError('approval-not-found', `approval ${approvalId} is gone`, { detail });
  }
}

/* The kernel's own word: this name leads to the controlling terminal, or nowhere. */
export function isAtTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r'));
    return true;
  } catch {
    // ENXIO: there is none.
    return false;
  }
}
