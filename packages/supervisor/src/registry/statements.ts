/*
 * One SQLite connection and its prepared statements.
 *
 * Statements are prepared once, on first use, and kept for the connection's
 * life: preparing costs more than running. The set is bounded because all SQL
 * text is assembled from fixed parts, never from values.
 *
 * `undefined` is written as NULL; `null` lives on this side only.
 */
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';

export type Row = Readonly<Record<string, unknown>>;
export type SqlValue = SQLInputValue | undefined;
export type SqlValues = readonly SqlValue[];

export interface Statements {
  /** Rows changed. */
  readonly run: (sql: string, values?: SqlValues) => number;
  readonly one: (sql: string, values?: SqlValues) => Row | undefined;
  readonly all: (sql: string, values?: SqlValues) => readonly Row[];
  /** Rows changed through `run` in this connection's life, rolled back ones included. */
  readonly changes: () => number;
  /** Of long values given to `run`; short ones share a page with the rest of their row. */
  readonly longBytes: () => number;
}

export function createStatements(db: DatabaseSync): Statements {
  const prepared = new Map<string, StatementSync>();
  const prepare = (sql: string): StatementSync => {
    const known = prepared.get(sql);
    if (known !== undefined) return known;
    const statement = db.prepare(sql);
    prepared.set(sql, statement);
    return statement;
  };
  let changes = 0;
  let longBytes = 0;
  return {
    run: (sql, values = []) => {
      for (const value of values) longBytes += longBytesOf(value);
      const changed = Number(prepare(sql).run(...values.map(toSql)).changes);
      changes += changed;
      return changed;
    },
    one: (sql, values = []) => prepare(sql).get(...values.map(toSql)),
    all: (sql, values = []) => prepare(sql).all(...values.map(toSql)),
    changes: () => changes,
    longBytes: () => longBytes,
  };
}

/** About half a page. */
const longMin = 2_048;

function longBytesOf(value: SqlValue): number {
  const isLong =
    (typeof value === 'string' || value instanceof Uint8Array) && value.length > longMin;
  if (!isLong) return 0;
  return typeof value === 'string' ? Buffer.byteLength(value) : value.length;
}

function toSql(value: SqlValue): SQLInputValue {
  return value === undefined ? null : value;
}
