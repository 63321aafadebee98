/*
 * kysely over `node:sqlite`.
 *
 * It is our own, because a transaction here is not what it is in other dialects: on the writer it is a savepoint inside the group
 * that work-queue.ts begins and commits, so that many of them share one commit. A driver that sends BEGIN itself could not.
 */
import type { DatabaseSync } from 'node:sqlite';
import type { ConnectionStatements } from '@clawdfather/sqlite';
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
import { checkParameters } from '../schema/check-parameters.ts';

export interface TransactionWords {
  readonly begin: readonly string[];
  readonly commit: readonly string[];
  readonly rollback: readonly string[];
}

/** Parts of a group. */
export const savepoints: TransactionWords = {
  begin: ['SAVEPOINT work'],
  commit: ['RELEASE work'],
  rollback: ['ROLLBACK TO work', 'RELEASE work'],
};

export interface DialectDeps {
  readonly db: DatabaseSync;
  readonly statements: ConnectionStatements;
  readonly connection: DatabaseConnection;
  /** None on the connection that all readers share: one reader's transaction would hold for all of them. */
  readonly words?: TransactionWords;
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
  const { db, statements, connection, words } = deps;
  const say = (part: keyof TransactionWords): void => {
    if (words === undefined) throw new TypeError('reads have no transactions');
    for (const text of words[part]) statements.run(text);
  };
  return {
    init: async () => {},
    acquireConnection: () => Promise.resolve(connection),
    beginTransaction: async () => say('begin'),
    commitTransaction: async () => say('commit'),
    rollbackTransaction: async () => {
      /* A full disk ends the whole transaction by itself; then there is nothing to go back to. */
      if (db.isTransaction) say('rollback');
    },
    releaseConnection: async () => {},
    destroy: async () => {},
  };
}

export function createSqliteConnection(
  statements: ConnectionStatements,
  observing: Observing,
): DatabaseConnection {
  const connection: DatabaseConnection = {
    executeQuery: async <Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> => {
      const { rows, changes } = statements.query(sql, checkParameters(parameters));
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
  return observed(connection, observing);
}
