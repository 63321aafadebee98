/*
 * Runs whose owner is gone, such as a command line that has exited. Another process has to record their end and to answer for
 * their terminals. A process that stays does so as soon as one of its callers asks for such a run.
 *
 * The supervisor decides from evidence whether a run may be taken over; here it is only asked to check.
 */
import type { Clock, Log } from '@clawdfather/kit';
import type { RunRecord, Supervisor } from '@clawdfather/supervisor';

export interface TakeOver {
  /* Takes the run over if it has no owner; at most so often, and without waiting for it. */
  lookAfter(record: RunRecord): void;
  close(): Promise<void>;
}

export interface TakeOverDeps {
  readonly supervisor: Supervisor;
  readonly clock: Clock;
  readonly log: Log;
  /* False: this process comes and goes, and takes nothing. */
  readonly isStaying: boolean;
}

/* A look costs a connection to each run without an owner. */
const pauseMs = 2_000;

export function createTakeOver({ supervisor, clock, log, isStaying }: TakeOverDeps): TakeOver {
  let lookedAtMs = Number.NEGATIVE_INFINITY;
  let looking: Promise<void> = Promise.resolve();
  return {
    lookAfter: (record) => {
      if (!isStaying || record.treeEndedAtMs !== undefined || isOwnedBy(record, supervisor)) return;
      const nowMs = clock.monotonicMs();
      if (nowMs - lookedAtMs < pauseMs) return;
      lookedAtMs = nowMs;
      looking = supervisor.reconcile().then(
        () => undefined,
        (error: unknown) => log.warn('tools.take-over-failed', { error }),
      );
    },
    close: () => looking,
  };
}

export function isOwnedBy(record: RunRecord, supervisor: Supervisor): boolean {
  return (
    record.ownerInstanceId === supervisor.instanceId &&
    record.ownerGeneration === supervisor.generation
  );
}
