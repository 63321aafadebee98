/*
 * kysely over a pool of `pg`.
 *
 * kysely's own driver asks a connection that no longer answers to roll back, and waits for it. This one knows when a
 * connection is lost: it sends nothing more over it and has the pool destroy it. Statements are prepared by name, once per
 * connection.
 */
import { createHash } from 'node:crypto';
import {
  AbortedTransactionError,
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely';
import type pg from 'pg';
import { statementsCachedMax } from '../limits.ts';
import { checkParameters } from '../schema/check-parameters.ts';
import { observed, type Observing } from '../observe.ts';
import { driverErrorOf } from './failures.ts';

interface Connection extends DatabaseConnection {
  /** The server's word for what it did. */
  say(sql: string): Promise<string>;
  isLost(): boolean;
  release(): void;
}

export function createPostgresDialect(pool: pg.Pool, observing: Observing): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => createDriver(pool, observing),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  };
}

function createDriver(pool: pg.Pool, observing: Observing): Driver {
  const nameOf = createStatementNames();
  /* kysely hands back what `acquireConnection` gave it. */
  const own = (connection: DatabaseConnection): Connection => connection as Connection;
  return {
    init: async () => {},
    acquireConnection: async () => {
      try {
        return observed(createConnection(await pool.connect(), nameOf), observing);
      } catch (error) {
        throw driverErrorOf(error);
      }
    },
    beginTransaction: async (connection, { isolationLevel, accessMode }) => {
      const parts = [
        'BEGIN',
        ...(isolationLevel === undefined ? [] : [`ISOLATION LEVEL ${isolationLevel}`]),
        ...(accessMode === undefined ? [] : [accessMode]),
      ];
      await own(connection).say(parts.join(' '));
    },
    commitTransaction: async (connection) => {
      const command = await own(connection).say('COMMIT');
      /* The server answers so when an earlier statement failed and the work ignored the error. */
      if (command === 'ROLLBACK') throw new AbortedTransactionError();
    },
    rollbackTransaction: async (connection) => {
      if (!own(connection).isLost()) await own(connection).say('ROLLBACK');
    },
    releaseConnection: async (connection) => own(connection).release(),
    destroy: async () => {},
  };
}

function createConnection(
  client: pg.PoolClient,
  nameOf: (sql: string) => string | undefined,
): Connection {
  let isLost = false;

  async function ask(config: pg.QueryConfig): Promise<pg.QueryResult> {
    try {
      return await client.query(config);
    } catch (error) {
      const failure = driverErrorOf(error);
      if (failure.failure === 'lost') isLost = true;
      throw failure;
    }
  }

  return {
    executeQuery: async <Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> => {
      const name = nameOf(sql);
      const { rows, rowCount } = await ask({
        text: sql,
        values: [...checkParameters(parameters)],
        ...(name === undefined ? {} : { name }),
      });
      /* The row type is the caller's, from the table types. */
      const typedRows = rows as Row[];
      return rowCount === null
        ? { rows: typedRows }
        : { rows: typedRows, numAffectedRows: BigInt(rowCount) };
    },
    streamQuery: () => {
      throw new TypeError('reads are paged, not streamed');
    },
    say: async (sql) => (await ask({ text: sql })).command,
    isLost: () => isLost,
    release: () => client.release(isLost),
  };
}

/** Names for the first so many statements; all SQL is assembled from fixed parts, so there are not more. */
function createStatementNames(): (sql: string) => string | undefined {
  const names = new Map<string, string>();
  return (sql) => {
    const known = names.get(sql);
    if (known !== undefined) return known;
    if (
      names.size >= statementsCachedMax ||
      !/^(?:select|insert|update|delete|with)\b/i.test(sql)
    ) {
      return undefined;
    }
    const name = createHash('sha256').update(sql).digest('hex').slice(0, 32);
    names.set(sql, name);
    return name;
  };
}
