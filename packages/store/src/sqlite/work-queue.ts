/*
 * The commit queue of the control database (Q1 to Q4 of packages/sqlite): one transaction and one sync of the disk for a group
 * of writes, each in a savepoint of its own, so one that fails takes nothing else with it.
 *
 * Stages of a group: BEGIN IMMEDIATE → each work in its savepoint, until `batchMsMax` is used up → COMMIT.
 *
 * Q5 A work that waits for anything but the database is refused. SQLite answers at once, so a work that asks only the database
 *    ends before the event loop turns. One that is still running then would delay every other write. Its transaction is
 *    ended, so its later statements have no effect.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Clock, Random } from '@clawdfather/kit';
import {
  createCommitQueue,
  type GroupOutcome,
  isFatalToTransaction,
  type Queued,
  sqliteFailureOf,
  type ConnectionStatements,
  type WorkOutcome,
} from '@clawdfather/sqlite';
import type { Database, Work } from '../engine.ts';
import { StoreError } from '../errors.ts';
import { batchMsMax } from '../limits.ts';
import { storeErrors } from './failures.ts';

export interface WorkQueue {
  write<Value>(work: Work<Value>): Promise<Value>;
  /** Resolves when everything queued so far is settled; later writes are refused. */
  close(): Promise<void>;
}

export interface WorkQueueDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly statements: ConnectionStatements;
  readonly writer: Database;
}

export function createWorkQueue(deps: WorkQueueDeps): WorkQueue {
  const { clock, random } = deps;
  const queue = createCommitQueue<Work<unknown>>({
    clock,
    random,
    errors: storeErrors,
    commit: (queued) => commitWorks(deps, queued),
  });
  return {
    write: <Value>(work: Work<Value>) => {
      /* A group runs in the context of its first write; each work keeps the context it was queued in, for traces. */
      const inContext = AsyncLocalStorage.snapshot();
      /* The queue holds works of every type; each one's value goes to its own promise. */
      return queue.write((db) => inContext(work, db)) as Promise<Value>;
    },
    close: () => queue.close(),
  };
}

/** Never rejects. */
async function commitWorks(
  { statements, clock, writer }: WorkQueueDeps,
  queued: readonly Queued<Work<unknown>>[],
): Promise<GroupOutcome> {
  const startedAtMs = clock.monotonicMs();
  const outcomes: WorkOutcome[] = [];
  let begun = 0;
  try {
    statements.run('BEGIN IMMEDIATE');
    const turn = watchTurn();
    try {
      for (const { work } of queued) {
        begun += 1;
        outcomes.push(await runOne(writer, work, turn.over));
        if (turn.isOver() || clock.monotonicMs() - startedAtMs > batchMsMax) break;
      }
    } finally {
      turn.stop();
    }
    statements.run('COMMIT');
    return outcomes;
  } catch (error) {
    if (statements.isInTransaction()) statements.run('ROLLBACK');
    if (sqliteFailureOf(error) === 'busy' && begun === 0) return 'busy';
    const failed: WorkOutcome = { isDone: false, error: storeErrors.of(error) };
    /* Q3. When even BEGIN failed, the first write is told, so that the queue moves on. */
    return Array.from({ length: Math.max(begun, 1) }, () => failed);
  }
}

async function runOne(
  writer: Database,
  work: Work<unknown>,
  turnOver: Promise<never>,
): Promise<WorkOutcome> {
  const transaction = await writer.startTransaction().execute();
  try {
    const value = await Promise.race([work(transaction), turnOver]);
    await transaction.commit().execute();
    return { isDone: true, value };
  } catch (error) {
    await transaction.rollback().execute();
    if (isFatalToTransaction(error)) throw error;
    return { isDone: false, error: storeErrors.of(error) };
  }
}

/** Q5. */
function watchTurn(): {
  readonly over: Promise<never>;
  isOver(): boolean;
  stop(): void;
} {
  const { promise, reject } = Promise.withResolvers<never>();
  promise.catch(() => {
    /* A work that runs is raced against it; between works there is nothing to refuse. */
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
