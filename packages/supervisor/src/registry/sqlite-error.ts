/*
 * SQLite's result codes, as far as the registry tells them apart.
 *
 * Branching is on the primary code (the low byte); the extended one goes into
 * the error's detail. Message texts are never looked at.
 */
import { SupervisorError } from '../errors.ts';

const busyCodes: readonly number[] = [5, 6]; // SQLITE_BUSY, SQLITE_LOCKED
const corruptCodes: readonly number[] = [11, 26]; // SQLITE_CORRUPT, SQLITE_NOTADB
const closedCodes: readonly number[] = [3, 8, 14]; // SQLITE_PERM, SQLITE_READONLY, SQLITE_CANTOPEN
const fullCode = 13; // SQLITE_FULL
const ioErrorCode = 10; // SQLITE_IOERR
const constraintCode = 19; // SQLITE_CONSTRAINT
const triggerCode = 1811; // SQLITE_CONSTRAINT_TRIGGER: RAISE(ABORT) of a trigger of ours
/* The kernel's words for "no space" when SQLite only says I/O error: ENOSPC, EDQUOT. */
const ioErrorWrite = 778; // SQLITE_IOERR_WRITE

export type SqliteFailure = 'busy' | 'corrupt' | 'full' | 'constraint' | 'other';

/** `undefined` when the error did not come from SQLite. */
export function sqliteFailureOf(error: unknown): SqliteFailure | undefined {
  const code = resultCodeOf(error);
  if (code === undefined) return undefined;
  const primary = code & 0xff;
  if (busyCodes.includes(primary)) return 'busy';
  if (corruptCodes.includes(primary)) return 'corrupt';
  if (primary === fullCode || code === ioErrorWrite) return 'full';
  if (primary === constraintCode) return 'constraint';
  return 'other';
}

/** The only trigger that refuses is the one that holds runs (migration 2). */
export function isHeldByApproval(error: unknown): boolean {
  return resultCodeOf(error) === triggerCode;
}

/**
 * `disk`: it has no room, or fails. `closed`: the file could not be opened or written, by a read-only disk, a missing inode
 * or a missing right.
 */
export function refusedBy(error: unknown): 'disk' | 'closed' | undefined {
  const code = resultCodeOf(error);
  if (code === undefined) return undefined;
  const primary = code & 0xff;
  if (primary === fullCode || primary === ioErrorCode) return 'disk';
  return closedCodes.includes(primary) ? 'closed' : undefined;
}

/** True when the whole transaction is lost, not only the statement that failed. */
export function isFatalToTransaction(error: unknown): boolean {
  const failure = sqliteFailureOf(error);
  if (failure === undefined || failure === 'constraint') return false;
  return failure !== 'other' || ((resultCodeOf(error) ?? 0) & 0xff) === ioErrorCode;
}

/** The error callers see. Errors that are not SQLite's pass through unchanged. */
export function registryErrorOf(error: unknown): unknown {
  const failure = sqliteFailureOf(error);
  const parts = { cause: error, detail: { sqlite: resultCodeOf(error) } };
  switch (failure) {
    case undefined:
      return error;
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
    default:
      return isClosedToUs(error)
        ? new SupervisorError('registry-failed', 'the registry cannot be opened for writing', {
            ...parts,
            hint: 'Is its file system read-only, does the file belong to somebody else, or are too few open files allowed (ulimit -n)?',
          })
        : new SupervisorError('registry-failed', 'the registry refused a statement', parts);
  }
}

function isClosedToUs(error: unknown): boolean {
  return closedCodes.includes((resultCodeOf(error) ?? 0) & 0xff);
}

function resultCodeOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error)) return undefined;
  return typeof error.errcode === 'number' ? error.errcode : undefined;
}
