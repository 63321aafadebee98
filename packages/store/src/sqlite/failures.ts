/*
 * SQLite's result codes, as far as we tell them apart. Branching is on the primary code, the low byte; message texts are
 * never looked at.
 */
import { StoreError } from '../errors.ts';

const busyCodes: readonly number[] = [5, 6]; // SQLITE_BUSY, SQLITE_LOCKED
const corruptCodes: readonly number[] = [11, 26]; // SQLITE_CORRUPT, SQLITE_NOTADB
const fullCodes: readonly number[] = [13]; // SQLITE_FULL
const ioCode = 10; // SQLITE_IOERR
const ioWriteCode = 778; // SQLITE_IOERR_WRITE: how a full disk or quota may look, too
const constraintCode = 19; // SQLITE_CONSTRAINT

export type SqliteFailure = 'busy' | 'corrupt' | 'full' | 'io' | 'constraint' | 'other';

/** `undefined` when the error did not come from SQLite. */
export function sqliteFailureOf(error: unknown): SqliteFailure | undefined {
  const code = resultCodeOf(error);
  if (code === undefined) return undefined;
  const primary = code & 0xff;
  if (busyCodes.includes(primary)) return 'busy';
  if (corruptCodes.includes(primary)) return 'corrupt';
  if (fullCodes.includes(primary) || code === ioWriteCode) return 'full';
  if (primary === ioCode) return 'io';
  return primary === constraintCode ? 'constraint' : 'other';
}

/** True when the whole group is lost, not only the work that met it. */
export function isFatalToGroup(error: unknown): boolean {
  const failure = sqliteFailureOf(error);
  return failure !== undefined && failure !== 'constraint' && failure !== 'other';
}

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
    case 'io':
    case 'constraint':
    case 'other':
      return new StoreError('store-failed', 'the control database refused a statement', parts);
  }
}

export function busyError(why: string): StoreError {
  return new StoreError('store-busy', `the control database cannot be used now: ${why}`, {
    hint: 'Another process of yours may be stopped in the middle of a write.',
  });
}

function resultCodeOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error)) return undefined;
  return typeof error.errcode === 'number' ? error.errcode : undefined;
}
