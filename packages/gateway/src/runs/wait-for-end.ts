/*
 * The long poll: until the run has ended, will never start, or the time is up. Woken by the news of it, not by a clock's ticking.
 */
import { type Clock, hasCode, startTimeLimit } from '@clawdfather/kit';
import type { RunExit } from '@clawdfather/supervisor';
import type { FoundRun } from './find-run.ts';
import type { Runs } from './open-runs.ts';
import { type Asking, callOf } from './run-call.ts';

export interface WaitDeps {
  readonly runs: Runs;
  readonly clock: Clock;
}

export interface WaitLimits {
  readonly signal: AbortSignal;
  readonly forMs: number;
}

/* Undefined when the time was up first, or there will be none. */
export async function waitForEnd(
  { runs, clock }: WaitDeps,
  { found, asking }: { readonly found: FoundRun; readonly asking: Asking },
  { signal, forMs }: WaitLimits,
): Promise<RunExit | undefined> {
  if (found.kind === 'run' && found.record.exit !== undefined) return found.record.exit;
  using limit = startTimeLimit(clock, forMs, [signal]);
  const patience = limit.signal;
  try {
    if (found.kind === 'run') {
      const run = await runs.supervisor.attach(found.record.runId);
      return await run.wait(patience);
    }
    const { runId, account } = found.kind === 'held' ? found.approval : found;
    const tools = found.kind === 'held' ? runs.agentTools : found.tools;
    const end = await tools.waitForEnd(runId, callOf(asking, account, patience));
    return end.kind === 'exit' ? end.exit : undefined;
  } catch (error) {
    signal.throwIfAborted();
    // Another process owns it now and knows of its end; the next request gets the right answer.
    if (patience.aborted || hasCode(error, 'epoch-stale', 'lease-lost')) return undefined;
    throw error;
  }
}
