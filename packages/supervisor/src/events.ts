/*
 * What the supervisor announces through a port: one event per fact, and the counters
 * of docs/observability.md. There is no metrics library here and no log: the program
 * that joins the parts decides what becomes of them.
 *
 * An event never carries output, input, environment or arguments. An
 * observer must not throw and must not wait; it is called in the middle of things.
 */
import type { KillCount, RunExit } from './run-end.ts';
import type { CancelReason, ReconcileDecision, RunId, TerminationReason } from './types.ts';

export type SupervisorEvent =
  /** The intent and the record are there; a shim has been asked for. */
  | { readonly type: 'spawn'; readonly runId: RunId; readonly sessionId: string }
  /** The command runs and the registry knows. */
  | { readonly type: 'started'; readonly runId: RunId; readonly pid: number }
  /** Output has been seen; at most one per run and heartbeat. */
  | { readonly type: 'output-heartbeat'; readonly runId: RunId; readonly atMs: number }
  | {
      readonly type: 'cancel';
      readonly runId: RunId;
      readonly reason: CancelReason;
      readonly actor: string | undefined;
    }
  /** The shim stopped reading, or reads again (J4). */
  | {
      readonly type: 'blocked';
      readonly runId: RunId;
      readonly isBlocked: boolean;
      readonly why: string | undefined;
    }
  /** The run has settled; `wait` resolves with the same. */
  | { readonly type: 'exit'; readonly runId: RunId; readonly exit: RunExit }
  /** The tree is gone, or given up on with survivors. */
  | { readonly type: 'end'; readonly runId: RunId; readonly survivors: number }
  /** One per run and reconciliation. */
  | { readonly type: 'reconcile'; readonly decision: ReconcileDecision }
  /** We took a run from an owner that is dead or late. */
  | {
      readonly type: 'lease-stolen';
      readonly runId: RunId;
      readonly epoch: number;
      readonly previousGeneration: number;
    }
  /** Another owner took over; we act on no run until we are an owner again. */
  | { readonly type: 'lease-lost'; readonly generation: number }
  /** spawnd died and was started again; runs did not notice. */
  | { readonly type: 'spawnd-restarted'; readonly pid: number }
  /** A shim died without an end record (T8). */
  | { readonly type: 'shim-lost'; readonly runId: RunId; readonly isSwept: boolean }
  /** A write to the registry failed and is kept for later. */
  | { readonly type: 'registry-failed'; readonly code: string; readonly what: string };

/** The counters and their labels, as docs/observability.md lists them. */
export interface SupervisorCounters {
  readonly run_spawn_total: undefined;
  readonly run_exit_total: { readonly reason: TerminationReason };
  readonly run_timeout_total: { readonly type: 'overall' | 'no_output' };
  readonly run_cleanup_kill_total: { readonly mode: 'pid' | 'pgid' | 'job' };
  readonly run_reconcile_orphans_total: undefined;
  readonly run_lease_steal_total: undefined;
  readonly run_ownership_escape_total: undefined;
}

export type CounterName = keyof SupervisorCounters;

/** One step, or several, of one counter. */
export type Count = {
  readonly [Name in CounterName]: {
    readonly name: Name;
    readonly labels: SupervisorCounters[Name];
    readonly by: number;
  };
}[CounterName];

export interface SupervisorObserver {
  event(event: SupervisorEvent): void;
  count(count: Count): void;
}

/** For library users who do not care, and for tests that look elsewhere. */
export const silentObserver: SupervisorObserver = { event: () => {}, count: () => {} };

/**
 * What one settled run adds to the counters. The shim counted the kills (T2), so
 * this is right however many owners the run had; it is called once per finalise.
 */
export function countsOfExit(exit: RunExit): readonly Count[] {
  const counts: Count[] = [{ name: 'run_exit_total', labels: { reason: exit.reason }, by: 1 }];
  if (exit.reason === 'overall-timeout') {
    counts.push({ name: 'run_timeout_total', labels: { type: 'overall' }, by: 1 });
  }
  if (exit.reason === 'no-output-timeout') {
    counts.push({ name: 'run_timeout_total', labels: { type: 'no_output' }, by: 1 });
  }
  if (exit.reason === 'ownership-escape') {
    counts.push({ name: 'run_ownership_escape_total', labels: undefined, by: 1 });
  }
  return [...counts, ...countsOfKills(exit.killed)];
}

/** A kill through the cgroup counts as `job`, the word for a boundary around a whole tree. */
function countsOfKills(killed: KillCount): readonly Count[] {
  const modes = [
    { mode: 'pid', by: killed.pid },
    { mode: 'pgid', by: killed.pgid },
    { mode: 'job', by: killed.cgroup },
  ] as const;
  return modes
    .filter(({ by }) => by > 0)
    .map(({ mode, by }) => ({ name: 'run_cleanup_kill_total', labels: { mode }, by }));
}
