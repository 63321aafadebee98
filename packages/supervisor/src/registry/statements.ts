/*
 * One SQLite connection and its prepared statements.
 *
 * Statements are prepared once, on first use, and kept for the connection's
 * life: preparing costs more than running. The set is bounded because all SQL
 * text is assembled from fixed parts, never from values.
 */
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';

export type Row = Readonly<Record<string, unknown>>;

export interface Statements {
  /** Rows changed. */
  run(sql: string, ...values: readonly SQLInputValue[]): number;
  one(sql: string, ...values: readonly SQLInputValue[]): Row | undefined;
  all(sql: string, ...values: readonly SQLInputValue[]): readonly Row[];
  /** Rows changed through `run` in this connection's life, rolled back ones included. */
  changes(): number;
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
  return {
    run: (sql, ...values) => {
      const changed = Number(prepare(sql).run(...values).changes);
      changes += changed;
      return changed;
    },
    one: (sql, ...values) => prepare(sql).get(...values),
    all: (sql, ...values) => prepare(sql).all(...values),
    changes: () => changes,
  };
}
