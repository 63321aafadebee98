/*
 * `clf deny`: the commands are never started, and whoever asked is told.
 */
import { approvalJson } from '../approvals/approval-json.ts';
import { decide } from '../approvals/decide.ts';
import { formatDenied } from '../approvals/decision-text.ts';
import { eachApproval } from '../approvals/each-approval.ts';
import { findApproval } from '../approvals/find-approval.ts';
import { withApprovals } from '../approvals/with-approvals.ts';
import type { CallOf } from '../command.ts';
import type { ExitStatus } from '../exit-status.ts';
import { jsonLine } from '../render/run-json.ts';
import { optionElsewhere } from '../approvals/approval-place.ts';
import { decideAsked } from '../threads/decide-asked.ts';
import type { denySpec } from './approval-specs.ts';

export async function execute(context: CallOf<typeof denySpec>): Promise<ExitStatus> {
  const { approvals: typed } = context.operands;
  const { option } = context.flags;
  const decision = { decision: 'deny', reason: context.flags.reason } as const;
  const asked = await decideAsked(context, { ...decision, typed, option });
  if (asked !== undefined) return asked;
  if (option !== undefined) throw optionElsewhere();
  const { stateDir } = context.config;
  return withApprovals(context, async (approvals) => {
    const ids = typed.map((one) => findApproval(approvals.gatekeeper, one, stateDir));
    return eachApproval(context, ids, async (approvalId) => {
      const { record } = await decide(context, approvals, { ...decision, approvalId });
      const text = context.isJson ? jsonLine(approvalJson(record, stateDir)) : formatDenied(record);
      await context.io.stdout.write(text);
    });
  });
}
