/*
 * `clf deny`: the command is never started, and whoever asked is told.
 */
import { approvalJson } from '../approvals/approval-json.ts';
import { formatEnd } from '../approvals/approval-text.ts';
import { decide } from '../approvals/decide.ts';
import { withApprovals } from '../approvals/with-approvals.ts';
import type { CommandContext } from '../command.ts';
import { codeStatus, type ExitStatus, exitOk } from '../exit-status.ts';
import { jsonLine } from '../render/run-json.ts';

export async function execute(context: CommandContext): Promise<ExitStatus> {
  const reason = context.args.value('reason');
  if (context.args.has('host')) {
    const { decideRemotely } = await import('../hosts/remote-approvals.ts');
    return decideRemotely(context, { decision: 'deny', reason });
  }
  return withApprovals(context, async (approvals) => {
    const { record } = await decide(context, approvals, { decision: 'deny', reason });
    await context.io.stdout.write(
      context.isJson
        ? jsonLine(approvalJson(record))
        : `${record.approvalId} ${formatEnd(record) ?? ''}\n`,
    );
    return codeStatus(exitOk);
  });
}
