/*
 * The control database in a file: one connection that writes, one that only reads.
 *
 * WAL, so that readers and the writer do not meet; synchronous FULL, so that what was acknowledged survives a power cut.
 * SQLite folds the log in after every 1,000 pages of it, inside a commit, unless a reader still needs what is in the file. Then
 * the log grows until that reader ends; `journal_size_limit` gives the space back afterwards.
 *
 * There is no busy timeout on the writer, because SQLite would sleep on our event loop (Q4 of packages/sqlite).
 */
import { DatabaseSync } from 'node:sqlite';
import type { Random } from '@clawdfather/kit';
import { createStatements, refuseWithoutIndexRoom, retryWhileLocked } from '@clawdfather/sqlite';
import { Kysely } from 'kysely';
import type { Database, Engine } from '../engine.ts';
import { closedError } from '../errors.ts';
import { cacheKib, logBytesKept, readBusyMs } from '../limits.ts';
import { migrate, readMigrationStatus } from '../migrations/migrate.ts';
import type { Observing } from '../observe.ts';
import type { Tables } from '../schema/tables.ts';
import { backUp } from './backup.ts';
import { createSqliteConnection, createSqliteDialect, savepoints } from './dialect.ts';
import { storeErrorOfSqlite, storeErrors } from './failures.ts';
import { createLookAtFile } from './look-at-file.ts';
import { createPrivate, refuseMissing } from './private-file.ts';
import { createReader } from './reader.ts';
import { createWorkQueue } from './work-queue.ts';

export interface SqliteOptions {
  readonly path: string;
}

export interface EngineDeps extends Observing {
  readonly random: Random;
}

const setUp = `PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;
  PRAGMA cache_size = -${cacheKib}; PRAGMA journal_size_limit = ${logBytesKept};`;

/** `there`: a file that is not there is refused, and not made. */
export async function openSqlite(
  { path }: SqliteOptions,
  deps: EngineDeps,
  file: 'made' | 'there' = 'made',
): Promise<Engine> {
  if (file === 'there') refuseMissing(path);
  else createPrivate(path);
  const writerDb = await retryWhileLocked({ ...deps, errors: storeErrors }, () => openWriter(path));
  const reader = createReader(openBeside(writerDb, path), deps);
  const statements = createStatements(writerDb);
  const writer: Database = new Kysely<Tables>({
    dialect: createSqliteDialect({
      db: writerDb,
      statements,
      connection: createSqliteConnection(statements, deps),
      words: savepoints,
    }),
  });
  const queue = createWorkQueue({ ...deps, statements, writer });
  const lookAtFile = createLookAtFile(path, deps.clock);
  let closing: Promise<void> | undefined;

  async function ifOpen<Value>(action: () => Promise<Value>): Promise<Value> {
    if (closing !== undefined) throw closedError();
    return await action();
  }

  async function close(): Promise<void> {
    await queue.close();
    await writer.destroy();
    /* The reader first: the last connection that closes tidies the log away, and only the writer may. */
    await reader.close();
    writerDb.close();
  }

  return {
    dialect: 'sqlite',
    // Every request reads: no promise of our own around the reader's.
    select: (query, values) =>
      closing === undefined ? reader.select(query, values) : Promise.reject(closedError()),
    read: (work) => ifOpen(() => reader.read(work)),
    write: (work) => queue.write(work),
    writeRepeatable: (work) => queue.write(work),
    migrate: (list) =>
      queue.write((db) =>
        migrate(db, {
          dialect: 'sqlite',
          nowMs: deps.clock.wallMs(),
          ...(list === undefined ? {} : { list }),
        }),
      ),
    migrationStatus: () => ifOpen(() => reader.read((db) => readMigrationStatus(db, 'sqlite'))),
    readBack: (expected) => ifOpen(async () => lookAtFile(expected)),
    backup: (target) => ifOpen(() => backUp(path, target)),
    close: () => (closing ??= close()),
  };
}

function openWriter(path: string): DatabaseSync {
  refuseWithoutIndexRoom(path);
  const db = new DatabaseSync(path, { timeout: 0 });
  try {
    db.exec(setUp);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

function openBeside(writerDb: DatabaseSync, path: string): DatabaseSync {
  try {
    const db = new DatabaseSync(path, { readOnly: true, timeout: readBusyMs });
    db.exec(`PRAGMA cache_size = -${cacheKib}; PRAGMA query_only = ON;`);
    return db;
  } catch (error) {
    writerDb.close();
    throw storeErrorOfSqlite(error);
  }
}
