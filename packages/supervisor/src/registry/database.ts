/*
 * The SQLite connection: how it is opened, set up, and how it waits.
 *
 * There is no busy timeout, because SQLite would sleep on our event loop. What
 * has to wait for another process's lock waits in the commit queue or, while
 * opening, in `retryWhileLocked`. A read needs no lock except while another
 * process recovers the log after a crash; it may then block for `readBusyMs`.
 */
import { DatabaseSync } from 'node:sqlite';
import {
  type LockWaiting,
  makePrivateDatabaseFile,
  refuseWithoutIndexRoom,
  retryWhileLocked,
  sqliteFailureOf,
  type Statements,
} from '@clawdfather/sqlite';
import { logBytesKept, readBusyMs, registryCacheKib } from '../limits.ts';
import { registryErrorOf } from './registry-errors.ts';

/** Opens the file and runs `setUp` under the write lock. */
export async function openDatabase(
  file: string,
  setUp: (db: DatabaseSync) => void,
  waiting: LockWaiting,
): Promise<DatabaseSync> {
  makePrivateDatabaseFile(file);
  return await retryWhileLocked(waiting, () => openOnce(file, setUp));
}

function openOnce(file: string, setUp: (db: DatabaseSync) => void): DatabaseSync {
  let db: DatabaseSync | undefined;
  try {
    refuseWithoutIndexRoom(file);
    // Foreign keys are off: they cost a lookup per insert, and only our own code writes rows.
    db = new DatabaseSync(file, { timeout: 0, enableForeignKeyConstraints: false });
    db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
      PRAGMA cache_size = -${registryCacheKib}; PRAGMA wal_autocheckpoint = 0;
      PRAGMA journal_size_limit = ${logBytesKept};`);
    db.exec('BEGIN IMMEDIATE');
    setUp(db);
    db.exec('COMMIT');
    return db;
  } catch (error) {
    db?.close();
    throw error;
  }
}

/** A database in memory with this content, or an empty one. What is written to it is lost with it. */
export function openCopy(
  content: Buffer | undefined,
  setUp: (db: DatabaseSync) => void,
): DatabaseSync {
  const db = new DatabaseSync(':memory:', { enableForeignKeyConstraints: false });
  try {
    if (content !== undefined && content.length > 0) db.deserialize(content);
    db.exec('BEGIN');
    setUp(db);
    db.exec('COMMIT');
    return db;
  } catch (error) {
    db.close();
    throw registryErrorOf(error);
  }
}

/** The same statements for reads outside a transaction. */
export function createPatientReads(db: DatabaseSync, statements: Statements): Statements {
  function patiently<Value>(read: () => Value): Value {
    try {
      return read();
    } catch (error) {
      if (sqliteFailureOf(error) !== 'busy') throw registryErrorOf(error);
    }
    db.exec(`PRAGMA busy_timeout = ${readBusyMs}`);
    try {
      return read();
    } catch (error) {
      throw registryErrorOf(error);
    } finally {
      db.exec('PRAGMA busy_timeout = 0');
    }
  }
  return {
    ...statements,
    one: (sql, values) => patiently(() => statements.one(sql, values)),
    all: (sql, values) => patiently(() => statements.all(sql, values)),
  };
}

/** Of pages in the file that hold nothing. */
export function freeBytesOf(db: DatabaseSync): number {
  const numberOf = (name: string): number =>
    Number(Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0] ?? 0);
  return numberOf('freelist_count') * numberOf('page_size');
}
