/*
 * What SQLite refuses, in the registry's codes and words.
 */
import {
  type DatabaseErrors,
  resultCodeOf,
  type SqliteFailure,
  sqliteFailureOf,
} from '@clawdfather/sqlite';
import { SupervisorError } from '../errors.ts';

const triggerCode = 1811; // SQLITE_CONSTRAINT_TRIGGER: RAISE(ABORT) of a trigger of ours

export const registryErrors: DatabaseErrors = {
  of: registryErrorOf,
  busy: (why) =>
    new SupervisorError('registry-busy', `the registry cannot be used: ${why}`, {
      hint: 'Another process of yours may be stopped in the middle of a write; `clawdfather doctor` names it.',
    }),
  closed: () => new SupervisorError('registry-closed', 'the registry is closed'),
};

/** The only trigger that refuses is the one that holds runs (migration 2). */
export function isHeldByApproval(error: unknown): boolean {
  return resultCodeOf(error) === triggerCode;
}

/** `full`: it has no room. `io`: it fails. `closed`: the file cannot be opened or written. */
export function refusedBy(error: unknown): 'full' | 'io' | 'closed' | undefined {
  const failure = sqliteFailureOf(error);
  return failure === 'full' || failure === 'io' || failure === 'closed' ? failure : undefined;
}

/** The error callers see. Errors that are not SQLite's pass unchanged. */
export function registryErrorOf(error: unknown): unknown {
  const failure = sqliteFailureOf(error);
  return failure === undefined ? error : errorOf(failure, error);
}

function errorOf(failure: SqliteFailure, error: unknown): SupervisorError {
  const parts = { cause: error, detail: { sqlite: resultCodeOf(error) } };
  switch (failure) {
    case 'busy':
      return new SupervisorError('registry-busy', 'another process holds the registry', parts);
    case 'full':
      return new SupervisorError('registry-full', 'no space left for the registry', {
        ...parts,
        hint: 'Free some space on the state directory and try again; nothing was recorded.',
      });
    case 'corrupt':
      return new SupervisorError('registry-corrupt', 'the registry file is damaged', {
        ...parts,
        hint: 'Run `clawdfather doctor --rebuild`: the registry is an index of the run directories.',
      });
    case 'closed':
      return new SupervisorError('registry-failed', 'the registry cannot be opened for writing', {
        ...parts,
        hint: 'Is its file system read-only, does the file belong to another user, or are too few open files allowed (ulimit -n)?',
      });
    case 'io':
    case 'constraint':
    case 'other':
      return new SupervisorError('registry-failed', 'the registry refused a statement', parts);
  }
}
