/*
 * `clf approvals -f`: what is asked, as it comes, until the person leaves. A request is shown when it begins to wait, when it is allowed,
 * and when it waits no longer, with how it ended. With `--json` each of these is a line; `state` tells them apart.
 *
 * A source says what waits now and when it is worth looking again. What is shown is found by comparing two looks, so a connection that
 * was lost in between loses nothing that still waits.
 */
import type { ApprovalRecord } from '@clawdfather/tools';
import type { CommandContext } from '../command.ts';
import { listenForLeave } from '../io/leave-signals.ts';
import { jsonLine } from '../render/run-json.ts';
import { approvalJson } from './approval-json.ts';
import type { ApprovalPlace } from './approval-place.ts';
import { approvalBlock, formatBlock, formatEnd } from './approval-text.ts';
import { shortApprovalChars } from './find-approval.ts';

export interface ApprovalSource extends ApprovalPlace {
  readonly stateDir: string | null;
  readonly ownAccounts: readonly string[];
  /* Oldest first. Both throw the reason of the signal. */
  waiting(signal: AbortSignal): Promise<readonly ApprovalRecord[]>;
  find(approvalId: string, signal: AbortSignal): Promise<ApprovalRecord | undefined>;
  /* Resolves when something may have changed, or the signal aborts. */
  changed(signal: AbortSignal): Promise<void>;
  /* At a gateway: what its agents ask, shown as it comes and goes. Called between two looks. */
  showAsks?(signal: AbortSignal): Promise<void>;
}

/* `shown`: what the list before has shown. */
export async function followApprovals(
  context: CommandContext,
  source: ApprovalSource,
  shown: readonly ApprovalRecord[],
): Promise<void> {
  const { io } = context;
  using leave = listenForLeave(io);
  const { signal } = leave;
  /* What waits, in the state in which it was shown. */
  const known = new Map(
    shown.filter(isWaiting).map(({ approvalId, state }) => [approvalId, state] as const),
  );
  if (!context.isJson) {
    await io.stderr.write(`clf: waiting for requests ${source.name}; Ctrl-C leaves\n`);
  }
  try {
    while (!signal.aborted) {
      // One that was decided while the list was read is over, and is told of once.
      const waiting = (await source.waiting(signal)).filter(isWaiting);
      const ids = new Set(waiting.map(({ approvalId }) => approvalId));
      for (const approvalId of known.keys()) {
        if (ids.has(approvalId)) continue;
        known.delete(approvalId);
        const ended = await source.find(approvalId, signal);
        if (ended !== undefined) await showNews(context, source, ended);
      }
      for (const record of waiting) {
        const before = known.get(record.approvalId);
        if (before === record.state) continue;
        known.set(record.approvalId, record.state);
        if (before === undefined) await showAsked(context, source, record);
        else await showNews(context, source, record);
      }
      await source.showAsks?.(signal);
      await source.changed(signal);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/* For a person, or for the gateway that is to start it. */
function isWaiting({ state }: ApprovalRecord): boolean {
  return state === 'pending' || state === 'allowed';
}

async function showAsked(
  { io, isJson, paint, clock }: CommandContext,
  { stateDir, ownAccounts, flag }: ApprovalSource,
  record: ApprovalRecord,
): Promise<void> {
  if (isJson) return io.stdout.write(jsonLine(approvalJson(record, stateDir)));
  const id = record.approvalId.slice(0, shortApprovalChars);
  const layout = { paint, nowMs: clock.wallMs(), isAll: false, ownAccounts };
  const shown = formatBlock(approvalBlock(record, { ...layout, columnsMax: io.columns() }));
  const how = paint.dim(`  clf allow${flag} ${id}, or clf deny${flag} ${id}\n`);
  await io.stdout.write(record.state === 'pending' ? `${shown}${how}` : shown);
}

async function showNews(
  { io, isJson, paint }: CommandContext,
  { stateDir }: ApprovalSource,
  record: ApprovalRecord,
): Promise<void> {
  if (isJson) return io.stdout.write(jsonLine(approvalJson(record, stateDir)));
  const id = record.approvalId.slice(0, shortApprovalChars);
  await io.stdout.write(`${paint.strong(id)} ${formatEnd(record) ?? 'is over'}\n`);
}
