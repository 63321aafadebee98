/*
 * `process list`: the caller's runs, newest first, those that wait for a decision before them.
 */
import { processLimits, type RunSummary } from '@clawdfather/protocol';
import { liveRunStates, type RunRecord } from '@clawdfather/supervisor';
import {
  directoryOf,
  directoryOnHost,
  hostNameOf,
  localHost,
} from '@clawdfather/supervisor/origins';
import type { ApprovalSummary } from '../approvals/gatekeeper.ts';
import { commandText } from '../approvals/shown-command.ts';
import type { ToolCall, ToolsContext } from '../context.ts';
import type { ParamsOf, ResultOf } from './result-of.ts';
import { timeLimitOf } from '../exec/time-limit-of.ts';
import { filterOf, heldBy } from './find-run.ts';

export function listRuns(
  context: ToolsContext,
  params: ParamsOf<'list'>,
  call: ToolCall,
): ResultOf<'list'> {
  const limit = params.limit ?? processLimits.listRows.usual;
  const { state } = params;
  const held =
    state === 'finished'
      ? []
      : context.gatekeeper.list({ ...heldBy(call), limit: limit + 1 }).map(summaryOfHeld);
  const states = state === 'finished' ? (['exited'] as const) : liveRunStates;
  const records = context.supervisor.list({
    ...filterOf(call),
    ...(state === undefined ? {} : { states }),
    limit: Math.max(0, limit + 1 - held.length),
  });
  for (const record of records) context.takeOver.lookAfter(record);
  const runs = [...held, ...records.map(summaryOf)];
  return { runs: runs.slice(0, limit), isMore: runs.length > limit };
}

export function summaryOf(record: RunRecord): RunSummary {
  const { exit, pid } = record;
  /* The shim's own time, once it is known: ours is a moment later, perhaps after the end of a short run. */
  const startedAtMs = exit?.startedAtMs ?? record.startedAtMs;
  return {
    runId: record.runId,
    state: record.state,
    command: record.command,
    cwd: directoryOf(record),
    host: hostNameOf(record.labels),
    pty: record.mode !== 'child',
    ...(pid === undefined ? {} : { pid }),
    ...(startedAtMs === undefined ? {} : { startedAt: new Date(startedAtMs).toISOString() }),
    ...(exit === undefined ? {} : { endedAt: new Date(exit.endedAtMs).toISOString() }),
    ...timeLimitOf(record),
    ...(exit === undefined ? {} : { reason: exit.reason }),
    ...(exit?.code === undefined || isTimeout(exit.reason) ? {} : { exitCode: exit.code }),
    ...(exit?.signal === undefined ? {} : { signal: exit.signal }),
    leftovers: record.treeEndedAtMs === undefined ? (exit?.leftovers.length ?? 0) : 0,
  };
}

function isTimeout(reason: string): boolean {
  return reason === 'overall-timeout' || reason === 'no-output-timeout';
}

export function summaryOfHeld(approval: ApprovalSummary): RunSummary {
  const { runId, approvalId, command, cwd, host } = approval;
  return {
    runId,
    approvalId,
    state: 'held',
    command: commandText(command),
    cwd: host === localHost ? cwd : directoryOnHost(cwd),
    host,
    pty: false,
    leftovers: 0,
  };
}
