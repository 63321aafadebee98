/*
 * Tells the tree of an agent to end, if the lease proves that it is ours (AP2 to AP5); otherwise nothing is done, and the log and the
 * thread say why.
 *
 * The signals themselves are the shim's: it is the parent of all that the agent has started, also of what has left the process group, so
 * no pid of them can pass to another process before it was reaped. SIGKILL after the grace needs no second look for that reason (T6);
 * where the shim is gone, the supervisor proves each process again before it is killed (T8).
 */
import { noteNotEnded, type TreeVerdict, verifyTree } from '@clawdfather/agents';
import type { Clock, Log } from '@clawdfather/kit';
import type { ManagedRun } from '@clawdfather/supervisor';
import type { AgentSupervisor, CrashPoint } from './ports.ts';
import type { KeptRows } from './thread-rows.ts';
import { seeTree } from './tree-evidence.ts';

export interface EndAgentDeps {
  readonly threadId: string;
  readonly rows: KeptRows;
  readonly supervisor: AgentSupervisor;
  readonly clock: Clock;
  readonly log: Log;
  readonly onPoint?: ((point: CrashPoint) => void) | undefined;
}

/* `gone`: its root has ended, and the shim ends the rest. */
export type EndOutcome = 'told' | 'gone' | 'refused';

/* How long until a process that could not be verified is looked at again. */
export const refusedRetryMs = 30_000;

export function createEndAgent(deps: EndAgentDeps): (managed: ManagedRun) => Promise<EndOutcome> {
  const { supervisor, onPoint } = deps;
  let said: TreeVerdict['verdict'] | undefined;
  return async (managed) => {
    const { run } = await deps.rows.read();
    if (run?.runId !== managed.runId) return 'gone';
    const verdict = verifyTree(run, seeTree(supervisor, run));
    if (verdict.verdict === 'missing') return 'gone';
    if (verdict.verdict !== 'ours') {
      if (said !== verdict.verdict) await sayNotEnded(deps, managed, verdict);
      said = verdict.verdict;
      return 'refused';
    }
    onPoint?.('before-end');
    await managed.cancel('manual-cancel', supervisor.instanceId);
    onPoint?.('after-end');
    return 'told';
  };
}

async function sayNotEnded(
  { log, rows, clock, threadId }: EndAgentDeps,
  { runId }: ManagedRun,
  verdict: Exclude<TreeVerdict, { verdict: 'ours' }>,
): Promise<void> {
  log.warn('agent.not-ended', { threadId, runId, verdict: verdict.verdict, why: verdict.why });
  await rows.change((now) => {
    const change = noteNotEnded(now, { runId, verdict }, clock.wallMs());
    return change && { change };
  });
}
