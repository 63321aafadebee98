/*
 * One transaction for many closures, each with an outcome of its own.
 *
 * 1. BEGIN IMMEDIATE; the lock is taken here or not at all.
 * 2. Run the closures in order. One that throws before its first change is
 *    rejected alone, at no cost. If one throws after a change, everything is
 *    rolled back and run again with a savepoint around each closure. Savepoints
 *    cost 2 to 4 µs per closure, so they are not used before they are needed.
 * 3. COMMIT.
 *
 * Q1 A closure may run more than once and must touch nothing but the database.
 * Q3 A failure of the disk fails every closure of the batch: nothing is retried
 *    silently, and the caller still holds what it wanted to write.
 */
import { isFatalToTransaction, registryErrorOf, sqliteFailureOf } from './sqlite-error.ts';
import type { Statements } from './statements.ts';

export type Work = () => unknown;

export type WorkOutcome =
  | { readonly isDone: true; readonly value: unknown }
  | { readonly isDone: false; readonly error: unknown };

export interface BatchDeps {
  readonly statements: Statements;
  /** SQLite ends a transaction by itself after some errors and not after others. */
  readonly isInTransaction: () => boolean;
}

/** `busy`: another process holds the lock and nothing was done. */
export function commitBatch(
  { statements, isInTransaction }: BatchDeps,
  batch: readonly Work[],
): readonly WorkOutcome[] | 'busy' {
  try {
    statements.run('BEGIN IMMEDIATE');
    const outcomes = runPlain(statements, batch) ?? runWithSavepoints(statements, batch);
    statements.run('COMMIT');
    return outcomes;
  } catch (error) {
    if (isInTransaction()) statements.run('ROLLBACK');
    if (sqliteFailureOf(error) === 'busy') return 'busy';
    const failed: WorkOutcome = { isDone: false, error: registryErrorOf(error) };
    return batch.map(() => failed);
  }
}

/** `undefined` when a closure failed after it had changed something; then nothing is done yet. */
function runPlain(
  statements: Statements,
  batch: readonly Work[],
): readonly WorkOutcome[] | undefined {
  const outcomes: WorkOutcome[] = [];
  for (const work of batch) {
    const changesBefore = statements.changes();
    const outcome = outcomeOf(work);
    if (!outcome.isDone && statements.changes() !== changesBefore) {
      statements.run('ROLLBACK');
      statements.run('BEGIN IMMEDIATE');
      return undefined;
    }
    outcomes.push(outcome);
  }
  return outcomes;
}

function runWithSavepoints(statements: Statements, batch: readonly Work[]): readonly WorkOutcome[] {
  return batch.map((work) => {
    statements.run('SAVEPOINT work');
    const outcome = outcomeOf(work);
    if (!outcome.isDone) statements.run('ROLLBACK TO work');
    statements.run('RELEASE work');
    return outcome;
  });
}

function outcomeOf(work: Work): WorkOutcome {
  try {
    return { isDone: true, value: work() };
  } catch (error) {
    if (isFatalToTransaction(error)) throw error;
    return { isDone: false, error: registryErrorOf(error) };
  }
}
