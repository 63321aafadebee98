/*
 * Ending a run of any owner by the one path there is (T2), and waiting until the
 * whole tree is gone.
 *
 * A run that keeps its leftovers settles with its root (T4), so waiting for the
 * run is not enough: the tree's end is asked for until it is recorded.
 */
import type { Clock } from '@clawdfather/kit';
import type { RunExit, RunRecord, Supervisor } from '@clawdfather/supervisor';
import { CliError } from '../errors.ts';
import { shortId } from './find-run.ts';

export interface EndOptions {
  readonly supervisor: Supervisor;
  readonly clock: Clock;
  readonly record: RunRecord;
  readonly actor: string;
}

/* Looking again is a connection to the shim; a tree takes some milliseconds to go. */
const lookAgainMs = 20;
/* The shim gives up after its grace and two seconds more (T1); what is left then stays. */
const treeMsMax = 15_000;

export async function endRun(options: EndOptions): Promise<RunExit> {
  const { supervisor, clock, record } = options;
  const run = await supervisor.attach(record.runId);
  await run.cancel('manual-cancel', options.actor);
  const exit = await run.wait();
  const startMs = clock.monotonicMs();
  while (isSomethingAlive(supervisor, record) && clock.monotonicMs() - startMs < treeMsMax) {
    await clock.sleep(lookAgainMs);
    await supervisor.reconcile();
  }
  if (!isSomethingAlive(supervisor, record)) return exit;
  throw new CliError('run-still-alive', `something of run ${shortId(record)} cannot be ended`, {
    hint: 'Processes of another user, or stuck in the kernel; the shim goes on trying. See clf doctor.',
    detail: { runId: record.runId },
  });
}

function isSomethingAlive(supervisor: Supervisor, { runId }: RunRecord): boolean {
  const record = supervisor.get(runId);
  return record !== undefined && record.treeEndedAtMs === undefined;
}
