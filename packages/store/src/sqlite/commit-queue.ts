/*
 * Group commit: writes queued in one turn of the loop share one transaction and one sync of the disk, each in a savepoint of
 * its own, so one that fails takes nothing else with it.
 *
 * Stages of a flush: BEGIN IMMEDIATE → each work in its savepoint, until `batchMsMax` is used up → COMMIT → settle.
 *
 * Q1 Writes happen in the order they were queued, and settle after the commit that holds them.
 * Q2 A lock held by another process never blocks the loop: the flush comes again after a pause, until the oldest write has
 *    waited `busyLimitMs`.
 * Q3 A failure of the disk fails every write of the group; nothing is tried again silently.
 * Q4 A work that waits for anything but the database is refused. SQLite answers at once, so all of an honest work happens
 *    before the loop turns; one that is still there then would hold everybody's writes up. Its transaction is ended, so
 *    what it does later reaches nothing.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Clock, Random } from '@clawdfather/kit';
import type { Database, Work } from '../engine.ts';
import { closedError, StoreError } from '../errors.ts';
import {
  batchMsMax,
  busyLimitMs,
  busyPauseMs,
  busyPauseMsMax,
  writesQueuedMax,
} from '../limits.ts';
import { busyError, isFatalToGroup, sqliteFailureOf, storeErrorOfSqlite } from './failures.ts';
import type { Statements } from './statements.ts';

export interface CommitQueue {
  write<Value>(work: Work<Value>): Promise<Value>;
  /** Resolves when everything queued so far is settled; later writes are refused. */
  close(): Promise<void>;
}

export interface CommitQueueDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly statements: Statements;
  readonly writer: Database;
  /** SQLite ends a transaction by itself after some errors and not after others. */
  readonly isInTransaction: () => boolean;
}

interface Entry {
  readonly work: Work<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (reason: unknown) => void;
  readonly queuedAtMs: number;
}

type Outcome =
  | { readonly isDone: true; readonly value: unknown }
  | { readonly isDone: false; readonly error: unknown };

export function createCommitQueue(deps: CommitQueueDeps): CommitQueue {
  const { clock } = deps;
  let waiting: Entry[] = [];
  let isScheduled = false;
  let failedAttempts = 0;
  let isClosed = false;
  let onIdle: (() => void) | undefined;

  function schedule(): void {
    if (isScheduled) return;
    isScheduled = true;
    /* Not a microtask: other sockets of this turn are read first, and their writes join the group. */
    setImmediate(() => void flush());
  }

  async function flush(): Promise<void> {
    if (waiting.length > 0) {
      const outcomes = await runGroup(deps, waiting);
      if (outcomes === 'busy') return pauseForLock();
      failedAttempts = 0;
      const done = waiting.slice(0, outcomes.length);
      waiting = waiting.slice(outcomes.length);
      settle(done, outcomes);
    }
    isScheduled = false;
    if (waiting.length > 0) schedule();
    else onIdle?.();
  }

  function pauseForLock(): void {
    const oldestMs = clock.monotonicMs() - busyLimitMs;
    /* Oldest first, so those that have waited too long are all in front. */
    while ((waiting[0]?.queuedAtMs ?? Infinity) <= oldestMs) {
      waiting.shift()?.reject(busyError('its lock did not come free'));
    }
    clock.timer(lockPauseMs(failedAttempts, deps.random), () => void flush());
    failedAttempts += 1;
  }

  return {
    write: <Value>(work: Work<Value>): Promise<Value> => {
      if (isClosed) return Promise.reject(closedError());
      if (waiting.length >= writesQueuedMax) {
        return Promise.reject(busyError('too many writes are waiting'));
      }
      const { promise, resolve, reject } = Promise.withResolvers<Value>();
      const queuedAtMs = clock.monotonicMs();
      /* The group runs in whoever's turn it is; each work keeps the context it was queued in, for traces. */
      const inContext = AsyncLocalStorage.snapshot();
      waiting.push({
        work: (db) => inContext(work, db),
        /* The queue holds writes of every type; each value goes to its own promise. */
        resolve: resolve as Entry['resolve'],
        reject,
        queuedAtMs,
      });
      schedule();
      return promise;
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

/** One outcome for each of the first entries; `busy` when nothing was done. Never rejects. */
async function runGroup(
  deps: CommitQueueDeps,
  entries: readonly Entry[],
): Promise<readonly Outcome[] | 'busy'> {
  const { statements, clock } = deps;
  const startedAtMs = clock.monotonicMs();
  const outcomes: Outcome[] = [];
  let begun = 0;
  try {
    statements.run('BEGIN IMMEDIATE');
    const turn = watchTurn();
    try {
      for (const { work } of entries) {
        begun += 1;
        outcomes.push(await runOne(deps.writer, work, turn.over));
        if (turn.isOver() || clock.monotonicMs() - startedAtMs > batchMsMax) break;
      }
    } finally {
      turn.stop();
    }
    statements.run('COMMIT');
    return outcomes;
  } catch (error) {
    if (deps.isInTransaction()) statements.run('ROLLBACK');
    if (sqliteFailureOf(error) === 'busy' && begun === 0) return 'busy';
    const failed: Outcome = { isDone: false, error: storeErrorOfSqlite(error) };
    /* Q3. When not even BEGIN worked, the first one hears of it, so that a queue cannot stand still. */
    return Array.from({ length: Math.max(begun, 1) }, () => failed);
  }
}

async function runOne(
  writer: Database,
  work: Work<unknown>,
  turnOver: Promise<never>,
): Promise<Outcome> {
  const transaction = await writer.startTransaction().execute();
  try {
    const value = await Promise.race([work(transaction), turnOver]);
    await transaction.commit().execute();
    return { isDone: true, value };
  } catch (error) {
    await transaction.rollback().execute();
    if (isFatalToGroup(error)) throw error;
    return { isDone: false, error: storeErrorOfSqlite(error) };
  }
}

/** Q4. */
function watchTurn(): {
  readonly over: Promise<never>;
  isOver(): boolean;
  stop(): void;
} {
  const { promise, reject } = Promise.withResolvers<never>();
  promise.catch(() => {
    /* Whoever runs a work races it; between works nobody has to hear of it. */
  });
  let isOver = false;
  const immediate = setImmediate(() => {
    isOver = true;
    reject(
      new StoreError('work-waited', 'a write waited for something else than the database', {
        hint: 'A mistake in the calling program: prepare everything before the transaction.',
      }),
    );
  });
  return { over: promise, isOver: () => isOver, stop: () => clearImmediate(immediate) };
}

function settle(entries: readonly Entry[], outcomes: readonly Outcome[]): void {
  outcomes.forEach((outcome, index) => {
    const entry = entries[index];
    if (outcome.isDone) entry?.resolve(outcome.value);
    else entry?.reject(outcome.error);
  });
}

/** Doubling pauses with jitter, so that two processes do not keep meeting. */
export function lockPauseMs(failedAttempts: number, random: Random): number {
  const pauseMs = Math.min(busyPauseMs * 2 ** Math.min(failedAttempts, 16), busyPauseMsMax);
  const [chance = 0] = random.bytes(1);
  return pauseMs * (0.5 + chance / 512);
}
