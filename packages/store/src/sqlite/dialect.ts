/*
 * kysely over `node:sqlite`.
 *
 * Our own, because what a transaction is differs from other dialects: on the writer it is a savepoint inside the group that
 * commit-queue.ts begins and commits, so that many of them share one commit. A driver that sends BEGIN itself could not.
 */
import type { DatabaseSync } from 'node:sqlite';
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { observed, type Observing } from '../observe.ts';
import type { Statements } from './statements.ts';

export interface TransactionWords {
  readonly begin: readonly string[];
  readonly commit: readonly string[];
  readonly rollback: readonly string[];
}

/** Reads that see one state. */
export const ownTransactions: TransactionWords = {
  begin: ['BEGIN'],
  commit: ['COMMIT'],
  rollback: ['ROLLBACK'],
};

/** Parts of a group. */
export const savepoints: TransactionWords = {
  begin: ['SAVEPOINT work'],
  commit: ['RELEASE work'],
  rollback: ['ROLLBACK TO work', 'RELEASE work'],
};

export interface DialectDeps extends Observing {
  readonly db: DatabaseSync;
  readonly statements: Statements;
  readonly words: TransactionWords;
}

export function createSqliteDialect(deps: DialectDeps): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => createDriver(deps),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

function createDriver(deps: DialectDeps): Driver {
  const { db, statements, words } = deps;
  const connection = observed(createConnection(statements), deps);
  const say = (texts: readonly string[]): void => texts.forEach((text) => statements.run(text));
  return {
    init: async () => {},
    acquireConnection: () => Promise.resolve(connection),
    beginTransaction: async () => say(words.begin),
    commitTransaction: async () => say(words.commit),
    rollbackTransaction: async () => {
      /* A full disk ends the whole transaction by itself; then there is nothing to go back to. */
      if (db.isTransaction) say(words.rollback);
    },
    releaseConnection: async () => {},
    destroy: async () => {},
  };
}

function createConnection(statements: Statements): DatabaseConnection {
  return {
    executeQuery: async <Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> => {
      const { rows, changes } = statements.run(sql, parameters);
      /* The row type is the caller's, from the table types. */
      const typedRows = rows as Row[];
      return changes === undefined
        ? { rows: typedRows }
        : { rows: typedRows, numAffectedRows: BigInt(changes) };
    },
    streamQuery: () => {
      throw new TypeError('reads are paged, not streamed');
    },
  };
}
