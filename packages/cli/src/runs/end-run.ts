/*
 * Ending a run of any owner by the one path there is (T2), and waiting for it.
 */
import type { RunExit, RunRecord, Supervisor } from '@clawdfather/supervisor';

export interface EndOptions {
  readonly supervisor: Supervisor;
  readonly record: RunRecord;
  readonly actor: string;
}

export async function endRun(options: EndOptions): Promise<RunExit> {
  const run = await options.supervisor.attach(options.record.runId);
  await run.cancel('manual-cancel', options.actor);
  return run.wait();
}
