/*
 * `clf approvals`: what waits for a decision, oldest first, or all that is on record; here, or with `--gateway` at a gateway.
 */
import type { ApprovalRecord, Gatekeeper } from '@clawdfather/tools';
import { approvalJson } from '../approvals/approval-json.ts';
import { machineAccounts } from '@clawdfather/supervisor/origins';
import { formatApprovals } from '../approvals/approval-text.ts';
import { withApprovals } from '../approvals/with-approvals.ts';
import type { CallOf } from '../command.ts';
import { codeStatus, type ExitStatus, exitOk } from '../exit-status.ts';
import { jsonLine } from '../render/run-json.ts';
import { findPlace } from '../sign-in/find-gateway.ts';
import type { approvalsSpec } from './approval-specs.ts';

/* Of those that are over: more than a person reads. */
const overMax = 1_000;
/* More than may wait on one machine. */
const waitingMax = 10_000;

export async function execute(context: CallOf<typeof approvalsSpec>): Promise<ExitStatus> {
  const { io, clock, paint } = context;
  const { all: isAll } = context.flags;
  if (findPlace(context) !== undefined)
    return (await import('../approvals/at-gateway.ts')).showApprovals(context, isAll);
  return withApprovals(context, async ({ gatekeeper }) => {
    const records = readApprovals(gatekeeper, isAll);
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
        formatApprovals(records, {
          paint,
          nowMs: clock.wallMs(),
          isAll,
          columnsMax,
          ownAccounts: machineAccounts,
        }),
      );
      if (!isAll) await io.stdout.write(paint.dim('clf allow ID, or clf deny ID\n'));
    }
    return codeStatus(exitOk);
  });
}

/* Oldest first. What waits is read by itself, so that no number of decided ones hides it, and comes last, where a person looks. */
function readApprovals(gatekeeper: Gatekeeper, isAll: boolean): readonly ApprovalRecord[] {
  const waiting = isAll ? (['pending', 'allowed'] as const) : (['pending'] as const);
  const over = ['started', 'denied', 'expired'] as const;
  return [
    ...gatekeeper.list({ states: waiting, limit: waitingMax }),
    ...(isAll ? gatekeeper.list({ states: over, limit: overMax }) : []),
  ]
    .flatMap(({ approvalId }) => gatekeeper.wholeApproval(approvalId) ?? [])
    .toReversed();
}
