/*
 * Ending a run of any owner by the one path there is (T2), and waiting until the
 * whole tree is gone.
 *
 * A run that keeps its leftovers settles with its root (T4), so waiting for the
 * run is not enough. Waiting for its tree has a limit: what belongs to another
 * user or is stuck in the kernel cannot be ended (T1), and a person is waiting.
 */
import type { Clock } from '@clawdfather/kit';
import type { RunExit, Supervisor, TreeEnd } from '@clawdfather/supervisor';
import { CliError } from '../errors.ts';
import type { Run, RunHandle } from '../place/place.ts';
import { shortId } from './find-run.ts';

export interface EndOptions {
  readonly supervisor: Supervisor;
  readonly clock: Clock;
  readonly run: Run;
  readonly actor: string;
  /* From SIGTERM to SIGKILL; undefined is the run's own. */
  readonly graceMs: number | undefined;
}

/* SIGKILL takes two seconds at most before the shim says what survived it; the rest is a slow host. */
const killMs = 10_000;
/* The default of a run; its own is not on record. */
const graceMsAssumed = 5_000;

export async function endRun(options: EndOptions): Promise<RunExit> {
  const { supervisor, run, graceMs } = options;
  const handle = await supervisor.attach(run.runId);
  await handle.cancel('manual-cancel', options.actor, graceMs);
  const exit = await handle.wait();
  const ended = await waitForTree(handle, options.clock, graceMs);
  if (ended.isGone) return { ...exit, treeEnd: ended.treeEnd ?? exit.treeEnd };
  throw new CliError('run-still-alive', `run ${shortId(run)} still has living processes`, {
    hint:
      'They belong to another user, are stuck in the kernel, or an earlier kill gave them a longer grace time ' +
      '(end that with clf kill --grace 0). The shim goes on trying; see clf doctor.',
    detail: { runId: run.runId },
  });
}

export interface WaitedTree {
  /* False when something is left after the grace time and what SIGKILL takes. */
  readonly isGone: boolean;
  readonly treeEnd: TreeEnd | undefined;
}

export async function waitForTree(
  run: Pick<RunHandle, 'waitTree'>,
  clock: Clock,
  graceMs = graceMsAssumed,
): Promise<WaitedTree> {
  const limit = new AbortController();
  const timer = clock.timer(graceMs + killMs, () => limit.abort());
  try {
    return { isGone: true, treeEnd: await run.waitTree(limit.signal) };
  } catch (error) {
    if (limit.signal.aborted) return { isGone: false, treeEnd: undefined };
    throw error;
  } finally {
    timer.cancel();
  }
}
