/*
 * SQL on one connection, through its prepared statements.
 *
 * Rows of few columns are fetched as arrays and named here. Node's own objects are slower to make and to read: with them a page
 * of sessions takes half as long again.
 *
 * `undefined` is written as NULL.
 */
import type { DatabaseSync, SQLInputValue, SQLOutputValue } from 'node:sqlite';
import { columnsOf, createStatementCache, type Prepared } from './statement-cache.ts';

export type Row = Readonly<Record<string, unknown>>;
export type SqlValues = readonly (SQLInputValue | undefined)[];

export interface QueryResult {
  readonly rows: Row[];
  /** `undefined` for a statement that returns rows. */
  readonly changes: number | undefined;
}

export interface Statements {
  /** Rows changed. */
  readonly run: (sql: string, values?: SqlValues) => number;
  readonly one: (sql: string, values?: SqlValues) => Row | undefined;
  readonly all: (sql: string, values?: SqlValues) => readonly Row[];
}

/** What a commit queue and a query builder need beyond that. */
export interface ConnectionStatements extends Statements {
  /** For SQL of which the caller does not know whether it returns rows. */
  readonly query: (sql: string, values: readonly SQLInputValue[]) => QueryResult;
  /** Statements that have changed something in this connection's life, rolled back ones included. */
  readonly writes: () => number;
  /** SQLite ends a transaction by itself after some errors and not after others. */
  readonly isInTransaction: () => boolean;
}

const none: SqlValues = [];

export function createStatements(db: DatabaseSync): ConnectionStatements {
  const prepared = createStatementCache(db);
  let writes = 0;

  function run({ statement }: Prepared, values: readonly SQLInputValue[]): number {
    const changed = Number(statement.run(...values).changes);
    if (changed > 0) writes += 1;
    return changed;
  }

  function all(entry: Prepared, values: readonly SQLInputValue[]): Row[] {
    const rows = entry.statement.all(...values);
    if (rows.length > 0 && !entry.isRead) writes += 1;
    return entry.isNamedHere ? rows.map((row) => nameRow(entry, row)) : rows;
  }

  return {
    run: (sql, values = none) => run(prepared(sql), values.map(toSql)),
    one: (sql, values = none) => {
      const entry = prepared(sql);
      const row = entry.statement.get(...values.map(toSql));
      if (row === undefined) return undefined;
      if (!entry.isRead) writes += 1;
      return entry.isNamedHere ? nameRow(entry, row) : row;
    },
    all: (sql, values = none) => all(prepared(sql), values.map(toSql)),
    query: (sql, values) => {
      const entry = prepared(sql);
      return entry.columns.length > 0
        ? { rows: all(entry, values), changes: undefined }
        : { rows: [], changes: run(entry, values) };
    },
    writes: () => writes,
    isInTransaction: () => db.isTransaction,
  };
}

/* What `setReturnArrays` makes of a row; the types do not know it. */
type Values = readonly SQLOutputValue[];

/** When a newer version has added a column meanwhile, SQLite has prepared the statement anew. */
function nameRow(entry: Prepared, fetched: unknown): Row {
  const values = fetched as Values;
  if (values.length !== entry.columns.length) entry.columns = columnsOf(entry.statement);
  const { columns } = entry;
  const row: Record<string, SQLOutputValue | undefined> = {};
  for (let index = 0; index < columns.length; index += 1) row[columns[index] ?? ''] = values[index];
  return row;
}

function toSql(value: SQLInputValue | undefined): SQLInputValue {
  return value === undefined ? null : value;
}
