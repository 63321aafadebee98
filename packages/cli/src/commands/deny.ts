/*
 * `clf deny`: the command is never started, and whoever asked is told.
 */
import { approvalJson } from '../approvals/approval-json.ts';
import { formatEnd } from '../approvals/approval-text.ts';
import { decide } from '../approvals/decide.ts';
import { withApprovals } from '../approvals/with-approvals.ts';
import type { CallOf } from '../command.ts';
import { codeStatus, type ExitStatus, exitOk } from '../exit-status.ts';
import { jsonLine } from '../render/run-json.ts';
import { findPlace } from '../sign-in/find-gateway.ts';
import type { denySpec } from './approval-specs.ts';

export async function execute(context: CallOf<typeof denySpec>): Promise<ExitStatus> {
  const decision = {
    typed: context.operands.approval,
    decision: 'deny',
    reason: context.flags.reason,
  } as const;
  if (findPlace(context) !== undefined) {
    const { decideRemotely } = await import('../approvals/at-gateway.ts');
    return decideRemotely(context, decision);
  }
  return withApprovals(context, async (approvals) => {
    const { record } = await decide(context, approvals, decision);
    await context.io.stdout.write(
      context.isJson
        ? jsonLine(approvalJson(record, context.config.stateDir))
        : `${record.approvalId} ${formatEnd(record) ?? ''}\n`,
    );
    return codeStatus(exitOk);
  });
}
