/*
 * `clf approvals`: what waits for a decision, oldest first, or all that is on record; here, or with `--host` at a gateway.
 */
import { approvalJson } from '../approvals/approval-json.ts';
import { formatApprovals } from '../approvals/approval-text.ts';
import { withApprovals } from '../approvals/with-approvals.ts';
import type { CommandContext } from '../command.ts';
import { codeStatus, type ExitStatus, exitOk } from '../exit-status.ts';
import { jsonLine } from '../render/run-json.ts';

export async function execute(context: CommandContext): Promise<ExitStatus> {
  const { args, io, clock, paint } = context;
  const isAll = args.has('all');
  if (args.has('host'))
    return (await import('../hosts/remote-approvals.ts')).showApprovals(context);
  return withApprovals(context, async ({ gatekeeper }) => {
    const records = gatekeeper.list(isAll ? {} : { states: ['pending'] }).toReversed();
    if (context.isJson) {
      for (const record of records) await io.stdout.write(jsonLine(approvalJson(record)));
    } else if (records.length === 0) {
      await io.stdout.write(
        isAll
          ? 'Nothing was ever asked.\n'
          : 'Nothing waits for you. Earlier ones: clf approvals -a\n',
      );
    } else {
      const columnsMax = io.columns();
      await io.stdout.write(
        formatApprovals(records, { paint, nowMs: clock.wallMs(), isAll, columnsMax }),
      );
      if (!isAll) await io.stdout.write(paint.dim('clf allow ID, or clf deny ID\n'));
    }
    return codeStatus(exitOk);
  });
}
