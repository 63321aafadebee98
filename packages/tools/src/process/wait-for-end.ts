/*
 * The end of a run, whenever that is: of one that runs, of one that is still starting, of one that waits for a person's decision,
 * of one whose owner is another process. What is waited for is the shim's own news; nothing ticks.
 */
import { hasCode } from '@clawdfather/kit';
import type { PollResult } from '@clawdfather/protocol';
import type { RunExit, RunRecord } from '@clawdfather/supervisor';
import { commandText } from '../approvals/shown-command.ts';
import type { ToolCall, ToolsContext } from '../context.ts';
import { ToolsError } from '../errors.ts';
import { findRun } from './find-run.ts';
import { waitForStart } from './wait-for-start.ts';

export type RunEnd =
  | { readonly kind: 'exit'; readonly command: string; readonly exit: RunExit }
  /* It never ran. */
  | { readonly kind: 'denied'; readonly command: string; readonly result: Denied };

export type Denied = Extract<PollResult, { readonly status: 'denied' }>;

/* Throws `unknown-run` and `run-ambiguous`; rejects when the call's signal aborts or the tools are closed. */
export async function waitForEnd(
  context: ToolsContext,
  runId: string,
  call: ToolCall,
): Promise<RunEnd> {
  const signal = AbortSignal.any([call.signal, context.signal]);
  const found = findRun(context, runId, call);
  const started = await waitForStart(context, found, { signal });
  signal.throwIfAborted();
  if (started.kind === 'run') {
    const { record } = started;
    return { kind: 'exit', command: record.command, exit: await exitOf(context, record, signal) };
  }
  const { result } = started;
  if (result.status === 'denied') {
    const command = found.kind === 'held' ? commandText(found.approval.command) : '';
    return { kind: 'denied', command, result };
  }
  throw new ToolsError('unknown-run', `run ${runId} did not start, and has no record`, {
    detail: { runId },
  });
}

async function exitOf(
  context: ToolsContext,
  { runId, exit }: RunRecord,
  signal: AbortSignal,
): Promise<RunExit> {
  if (exit !== undefined) return exit;
  const wait = async (): Promise<RunExit> => (await context.supervisor.attach(runId)).wait(signal);
  try {
    return await wait();
  } catch (error) {
    signal.throwIfAborted();
    const known = context.supervisor.get(runId)?.exit;
    if (known !== undefined) return known;
    /* It has another owner by now; from outside its end is heard as well. */
    if (hasCode(error, 'epoch-stale', 'lease-lost')) return wait();
    throw error;
  }
}
