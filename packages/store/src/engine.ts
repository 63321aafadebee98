/*
 * What a database has to be able to do for the queries, and the rules that hold on both (docs/store.md).
 *
 * A write is a transaction of its own, as if no other ran at the same time (B1): SQLite has one writer; PostgreSQL's isolation
 * level guarantees it, and a transaction that it refuses runs again. So the work of a write may run more than once, and must
 * touch nothing but the database (B2). A write that was acknowledged is on disk (B3).
 */
import type { Kysely } from 'kysely';
import type { DialectName, Migration } from './migrations/migration.ts';
import type { MigrationStatus } from './migrations/migrate.ts';
import type { Tables } from './schema/tables.ts';
import type { Select } from './select.ts';

export type Database = Kysely<Tables>;
export type Work<Value> = (db: Database) => Promise<Value>;

/** What queries run on: an engine, or a transaction that the caller began. */
export interface Runner {
  readonly dialect: DialectName;
  /** One statement that was compiled before (select.ts): the cheapest way to ask. */
  select<Values extends object, Row>(
    select: Select<Values, Row>,
    values: Values,
  ): Promise<readonly Row[]>;
  /** One statement, or several that need not agree with each other. */
  read<Value>(work: Work<Value>): Promise<Value>;
  write<Value>(work: Work<Value>): Promise<Value>;
  /** As `write`, for work that finds out by itself whether it was done before: it runs again after a lost answer. */
  writeRepeatable<Value>(work: Work<Value>): Promise<Value>;
}

export interface ReadBack {
  readonly sql: string;
  readonly beats: number;
}

export interface Engine extends Runner {
  migrate(list?: readonly Migration[]): Promise<readonly number[]>;
  migrationStatus(): Promise<MigrationStatus>;
  /**
   * Reads over a new connection, past every cache of ours. `sql` selects one row with the column `beats`, which must be at least
   * the `beats` that were written.
   */
  readBack(expected: ReadBack): Promise<void>;
  /** A consistent copy while the database is in use. PostgreSQL has `pg_dump` for that and refuses. */
  backup(path: string): Promise<void>;
  close(): Promise<void>;
}

/** Runs queries inside a transaction that is already open. */
export function runnerOf(transaction: Database, dialect: DialectName): Runner {
  const inside = <Value>(work: Work<Value>): Promise<Value> => work(transaction);
  return {
    dialect,
    select: async (select, values) =>
      (await transaction.executeQuery(select.bind({ dialect, db: transaction }, values))).rows,
    read: inside,
    write: inside,
    writeRepeatable: inside,
  };
}
