/*
 * What SQLite refuses, in the control database's codes and words.
 */
import { type DatabaseErrors, resultCodeOf, sqliteFailureOf } from '@clawdfather/sqlite';
import { closedError, StoreError } from '../errors.ts';

export const storeErrors: DatabaseErrors = {
  of: storeErrorOfSqlite,
  busy: busyError,
  closed: closedError,
};

/** The error callers see. Errors that are not SQLite's pass unchanged. */
export function storeErrorOfSqlite(error: unknown): unknown {
  const failure = sqliteFailureOf(error);
  const parts = { cause: error, detail: { sqlite: resultCodeOf(error) } };
  switch (failure) {
    case undefined:
      return error;
    case 'busy':
      return busyError('another process holds its lock');
    case 'full':
      return new StoreError('store-full', 'no space left for the control database', {
        ...parts,
        hint: 'Free some space and try again; nothing was recorded.',
      });
    case 'corrupt':
      return new StoreError('store-corrupt', 'the control database is damaged', {
        ...parts,
        hint: 'Restore a backup: `clawdfather restore`.',
      });
    case 'closed':
    case 'io':
    case 'constraint':
    case 'other':
      return new StoreError('store-failed', 'the control database refused a statement', parts);
  }
}

function busyError(why: string): StoreError {
  return new StoreError('store-busy', `the control database cannot be used now: ${why}`, {
    hint: 'Another process of yours may be stopped in the middle of a write.',
  });
}
