/*
 * How the lease of an agent's process ends in the rows: closed when its end was seen, lost when it was not.
 */
import { type AgentRunRow, endRun, failStart, type RunEnd, verifyTree } from '@clawdfather/agents';
import type { Clock } from '@clawdfather/kit';
import type { RunId } from '@clawdfather/supervisor';
import { ThreadsError } from './errors.ts';
import type { AgentSupervisor } from './ports.ts';
import type { KeptRows } from './thread-rows.ts';
import { seeTree } from './tree-evidence.ts';

export interface EndLeaseDeps {
  readonly rows: KeptRows;
  readonly supervisor: AgentSupervisor;
  readonly clock: Clock;
}

/* All that it said is stored. */
export async function endLease(
  { rows, clock }: EndLeaseDeps,
  runId: RunId,
  end: Omit<RunEnd, 'runId'>,
): Promise<void> {
  await rows.change((now, text) => {
    const change = endRun(now, { runId, ...end }, { text, atMs: clock.wallMs() });
    return change && { change };
  });
}

/*
 * Of a lease whose run is not known here. Nothing is looked for in the process table: what a lease does not prove is left alone.
 */
export function endWithoutRecord(
  { supervisor, clock }: EndLeaseDeps,
  run: AgentRunRow,
): Omit<RunEnd, 'runId'> {
  const endedAtMs = clock.wallMs();
  if (run.process === undefined) {
    const message = 'it was closed before it had started';
    return { reason: 'manual-cancel', message, endedAtMs, state: 'closed' };
  }
  const { verdict } = verifyTree(run, seeTree(supervisor, run));
  const message =
    verdict === 'missing' || verdict === 'reused'
      ? 'there is no record of how it ended'
      : 'there is no record of it, so its process is left alone';
  return { reason: 'unknown', message, endedAtMs, state: 'lost' };
}

/* Nothing was started for the turn that runs, if one does. */
export async function failTurn({ rows, clock }: EndLeaseDeps, error: Error): Promise<void> {
  await rows.change((now) => {
    const change = failStart(
      now,
      { message: error.message, limit: limitOf(error) },
      clock.wallMs(),
    );
    return change && { change };
  });
}

/* The code of the limit that leaves no room; undefined: it is another reason. */
function limitOf(error: Error): string | undefined {
  if (!(error instanceof ThreadsError) || error.code !== 'no-place') return undefined;
  const { limit } = error.detail;
  return typeof limit === 'string' ? limit : undefined;
}
