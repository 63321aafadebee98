/*
 * The connection that only reads, which all readers share. It has no transactions, because one reader's would hold for all of
 * them. Values that have to agree with each other are read by one statement.
 */
import type { DatabaseSync } from 'node:sqlite';
import { createStatements } from '@clawdfather/sqlite';
import { Kysely } from 'kysely';
import type { Database, Runner, Work } from '../engine.ts';
import type { Observing } from '../observe.ts';
import type { Tables } from '../schema/tables.ts';
import type { Select } from '../select.ts';
import { createSqliteConnection, createSqliteDialect } from './dialect.ts';
import { storeErrorOfSqlite } from './failures.ts';

export interface Reader extends Pick<Runner, 'read' | 'select'> {
  close(): Promise<void>;
}

export function createReader(db: DatabaseSync, observing: Observing): Reader {
  const statements = createStatements(db);
  const connection = createSqliteConnection(statements, observing);
  const reader: Database = new Kysely<Tables>({
    dialect: createSqliteDialect({ db, statements, connection }),
  });

  async function read<Value>(work: Work<Value>): Promise<Value> {
    try {
      return await work(reader);
    } catch (error) {
      throw storeErrorOfSqlite(error);
    }
  }

  /* Past kysely, which would pass it through a dozen promises on its way to the same connection. */
  async function select<Values extends object, Row>(
    query: Select<Values, Row>,
    values: Values,
  ): Promise<readonly Row[]> {
    try {
      const bound = query.bind({ dialect: 'sqlite', db: reader }, values);
      return (await connection.executeQuery<Row>(bound)).rows;
    } catch (error) {
      throw storeErrorOfSqlite(error);
    }
  }

  async function close(): Promise<void> {
    await reader.destroy();
    db.close();
  }

  return { read, select, close };
}
