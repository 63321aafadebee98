/*
 * SQLite's result codes, as far as we tell them apart.
 *
 * The kind of a failure follows from the primary code, which is the low byte of the code. Message texts are never compared.
 */

const kinds: Readonly<Record<number, SqliteFailure>> = {
  3: 'closed', // SQLITE_PERM
  5: 'busy', // SQLITE_BUSY
  6: 'busy', // SQLITE_LOCKED
  8: 'closed', // SQLITE_READONLY
  10: 'io', // SQLITE_IOERR
  11: 'corrupt', // SQLITE_CORRUPT
  13: 'full', // SQLITE_FULL
  14: 'closed', // SQLITE_CANTOPEN
  19: 'constraint', // SQLITE_CONSTRAINT
  26: 'corrupt', // SQLITE_NOTADB
};

/* SQLITE_IOERR_WRITE: SQLite's answer when the kernel says ENOSPC or EDQUOT. */
const ioErrorWrite = 778;

/** `closed`: the file cannot be opened or written: a read-only disk, a missing inode or a missing right. */
export type SqliteFailure = 'busy' | 'closed' | 'constraint' | 'corrupt' | 'full' | 'io' | 'other';

/** `undefined` when the error did not come from SQLite. */
export function sqliteFailureOf(error: unknown): SqliteFailure | undefined {
  const code = resultCodeOf(error);
  if (code === undefined) return undefined;
  return code === ioErrorWrite ? 'full' : (kinds[code & 0xff] ?? 'other');
}

/** For a disk that is found to be full before SQLite is asked: callers tell it as they tell SQLite's own. */
export function fullError(message: string): Error {
  return Object.assign(new Error(message), { errcode: 13 });
}

/** True when the whole transaction is lost, not only the statement that failed. */
export function isFatalToTransaction(error: unknown): boolean {
  switch (sqliteFailureOf(error)) {
    case 'busy':
    case 'corrupt':
    case 'full':
    case 'io':
      return true;
    case 'closed':
    case 'constraint':
    case 'other':
    case undefined:
      return false;
  }
}

/** The extended result code. */
export function resultCodeOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error)) return undefined;
  return typeof error.errcode === 'number' ? error.errcode : undefined;
}

/** The errors that the callers of one database see: its own codes, words and hints. */
export interface DatabaseErrors {
  /** Errors that are not SQLite's pass unchanged. */
  readonly of: (error: unknown) => unknown;
  readonly busy: (why: string) => Error;
  readonly closed: () => Error;
}
