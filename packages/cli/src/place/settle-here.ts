/*
 * The ends of runs that have no owner. Its clf has left, so no process writes down how such a run ended, and it would be shown as
 * running for ever. A shim or a command that is missing among the processes makes us reconcile, which records the end.
 */
import type { Clock } from '@clawdfather/kit';
import type { RunRecord, RunUse, Supervisor } from '@clawdfather/supervisor';

/* Undefined use: its shim is not among the processes. */
export type RunHere = RunRecord & { readonly use?: RunUse };

export interface SettlerDeps {
  readonly supervisor: Pick<Supervisor, 'reconcile'>;
  readonly clock: Clock;
}

/* Reconciling asks all shims, so what could not be settled is tried again later and later. */
const pauseMsMin = 5_000;
const pauseMsMax = 60_000;

/* True when it has reconciled. */
export function createSettler({
  supervisor,
  clock,
}: SettlerDeps): (runs: readonly RunHere[]) => Promise<boolean> {
  let reconciledAtMs = Number.NEGATIVE_INFINITY;
  let pauseMs = pauseMsMin;
  return async (runs) => {
    if (!runs.some(isMissing)) {
      pauseMs = pauseMsMin;
      return false;
    }
    if (clock.monotonicMs() - reconciledAtMs < pauseMs) return false;
    await supervisor.reconcile();
    reconciledAtMs = clock.monotonicMs();
    // The next call that finds nothing missing takes this back.
    pauseMs = Math.min(pauseMs * 2, pauseMsMax);
    return true;
  };
}

function isMissing({ state, exit, treeEndedAtMs, use }: RunHere): boolean {
  if (state === 'starting' || treeEndedAtMs !== undefined) return false;
  return use === undefined || (exit === undefined && !use.hasCommand);
}
