/*
 * One transaction for many closures, each with an outcome of its own.
 *
 * 1. BEGIN IMMEDIATE; the lock is taken here or not at all.
 * 2. Run the closures in order. One that throws before its first change is
 *    rejected alone, at no cost. If one throws after a change, everything is
 *    rolled back and run again with a savepoint around each closure (Q1).
 *    Savepoints cost 2 to 4 µs per closure, so they are not used before they
 *    are needed.
 * 3. COMMIT.
 */
import type { GroupOutcome, Queued, WorkOutcome } from './commit-queue.ts';
import { type DatabaseErrors, isFatalToTransaction, sqliteFailureOf } from './failures.ts';
import { closuresPerCommitMax } from './limits.ts';
import type { ConnectionStatements } from './statements.ts';

interface CommitDeps {
  readonly statements: ConnectionStatements;
  readonly errors: DatabaseErrors;
}

type Closures = readonly Queued<() => unknown>[];

export function commitClosures(deps: CommitDeps, queued: Closures): GroupOutcome {
  const { statements, errors } = deps;
  const group = queued.slice(0, closuresPerCommitMax);
  try {
    statements.run('BEGIN IMMEDIATE');
    const outcomes = runPlain(deps, group) ?? runWithSavepoints(deps, group);
    statements.run('COMMIT');
    return outcomes;
  } catch (error) {
    if (statements.isInTransaction()) statements.run('ROLLBACK');
    if (sqliteFailureOf(error) === 'busy') return 'busy';
    const failed: WorkOutcome = { isDone: false, error: errors.of(error) };
    return group.map(() => failed);
  }
}

/** `undefined` when a closure failed after it had changed something; then nothing is done yet. */
function runPlain(deps: CommitDeps, group: Closures): readonly WorkOutcome[] | undefined {
  const { statements } = deps;
  const outcomes: WorkOutcome[] = [];
  for (const { work } of group) {
    const writesBefore = statements.writes();
    const outcome = outcomeOf(deps, work);
    if (!outcome.isDone && statements.writes() !== writesBefore) {
      statements.run('ROLLBACK');
      statements.run('BEGIN IMMEDIATE');
      return undefined;
    }
    outcomes.push(outcome);
  }
  return outcomes;
}

function runWithSavepoints(deps: CommitDeps, group: Closures): readonly WorkOutcome[] {
  const { statements } = deps;
  return group.map(({ work }) => {
    statements.run('SAVEPOINT work');
    const outcome = outcomeOf(deps, work);
    if (!outcome.isDone) statements.run('ROLLBACK TO work');
    statements.run('RELEASE work');
    return outcome;
  });
}

function outcomeOf({ errors }: CommitDeps, work: () => unknown): WorkOutcome {
  try {
    return { isDone: true, value: work() };
  } catch (error) {
    if (isFatalToTransaction(error)) throw error;
    return { isDone: false, error: errors.of(error) };
  }
}
