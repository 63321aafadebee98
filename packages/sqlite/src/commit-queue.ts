/*
 * Group commit: writes that are queued in one turn of the event loop share one transaction.
 *
 * Stages of a flush: take what waits → `commit` runs a group of it in one transaction → each write of the group settles with
 * its own outcome → what is left waits for the next flush.
 *
 * Q1 A write's work may run more than once and must touch nothing but the database.
 * Q2 Writes happen in the order in which they were queued, and settle after the commit that holds them.
 * Q3 A failure of the disk fails every write of its group. Nothing is tried again silently: the caller still holds what it
 *    wanted to write.
 * Q4 A lock held by another process never blocks the event loop: the flush comes again after a pause. A write that has waited
 *    for `busyLimitMs` is refused. So a frozen process that holds the lock delays our writes and nothing else.
 */
import { lockPauseMs, type LockWaiting } from './lock-retry.ts';
import { busyLimitMs, writesQueuedMax } from './limits.ts';

export type WorkOutcome =
  | { readonly isDone: true; readonly value: unknown }
  | { readonly isDone: false; readonly error: unknown };

/** One outcome for each of the first writes. `busy`: another process holds the lock, and nothing was done. */
export type GroupOutcome = readonly WorkOutcome[] | 'busy';

export interface Queued<Work> {
  readonly work: Work;
}

export interface CommitQueueDeps<Work> extends LockWaiting {
  /** Runs as many of the first writes as one transaction should hold, at least one. Never throws. */
  readonly commit: (queued: readonly Queued<Work>[]) => GroupOutcome | Promise<GroupOutcome>;
  /** Called after each group, outside the transaction. */
  readonly onCommit?: () => void;
}

export interface CommitQueue<Work> {
  /** Resolves with what the work returned. */
  write(work: Work): Promise<unknown>;
  /** Holds writes back, for a checkpoint; `resume` lets them go. */
  pause(): void;
  resume(): void;
  /** Resolves when everything queued so far is settled; later writes are refused. */
  close(): Promise<void>;
}

interface Settling {
  readonly resolve: (value: unknown) => void;
  readonly reject: (reason: unknown) => void;
}

interface Entry<Work> extends Queued<Work>, Settling {
  readonly queuedAtMs: number;
}

export function createCommitQueue<Work>(deps: CommitQueueDeps<Work>): CommitQueue<Work> {
  const { clock, errors } = deps;
  let waiting: Entry<Work>[] = [];
  /* A flush is due, under way, or waits for the lock. */
  let isScheduled = false;
  let isClosed = false;
  let isPaused = false;
  let failedAttempts = 0;
  let onIdle: (() => void) | undefined;

  function schedule(): void {
    if (isScheduled) return;
    isScheduled = true;
    // A microtask would run before the other sockets of this turn are read: with 32
    // connections, each on a socket of its own, 2.9 commits per run against 0.14.
    setImmediate(flush);
  }

  function flush(): void {
    if (isPaused || waiting.length === 0) {
      isScheduled = false;
      if (!isPaused) onIdle?.();
      return;
    }
    const outcome = deps.commit(waiting);
    if (outcome instanceof Promise) void outcome.then(finish);
    else finish(outcome);
  }

  function finish(outcomes: GroupOutcome): void {
    if (outcomes === 'busy') return pauseForLock();
    failedAttempts = 0;
    isScheduled = false;
    const group = waiting.slice(0, outcomes.length);
    waiting = waiting.slice(outcomes.length);
    settle(group, outcomes);
    deps.onCommit?.();
    if (waiting.length > 0 || onIdle !== undefined) schedule();
  }

  function pauseForLock(): void {
    const oldestMs = clock.monotonicMs() - busyLimitMs;
    // The oldest come first, so those that have waited too long are all in front.
    while ((waiting[0]?.queuedAtMs ?? Infinity) <= oldestMs) {
      waiting.shift()?.reject(errors.busy('its lock did not come free'));
    }
    clock.timer(lockPauseMs(failedAttempts, deps.random), flush);
    failedAttempts += 1;
  }

  return {
    write: (work) => {
      if (isClosed) return Promise.reject(errors.closed());
      if (waiting.length >= writesQueuedMax) {
        return Promise.reject(errors.busy('too many writes are waiting'));
      }
      const { promise, resolve, reject } = Promise.withResolvers<unknown>();
      waiting.push({ work, resolve, reject, queuedAtMs: clock.monotonicMs() });
      schedule();
      return promise;
    },
    pause: () => {
      isPaused = true;
    },
    resume: () => {
      isPaused = false;
      schedule();
    },
    close: () => {
      isClosed = true;
      const { promise, resolve } = Promise.withResolvers<void>();
      onIdle = resolve;
      schedule();
      return promise;
    },
  };
}

function settle(group: readonly Settling[], outcomes: readonly WorkOutcome[]): void {
  outcomes.forEach((outcome, index) => {
    const entry = group[index];
    if (outcome.isDone) entry?.resolve(outcome.value);
    else entry?.reject(outcome.error);
  });
}
