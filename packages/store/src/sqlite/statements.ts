/*
 * Prepared statements of one SQLite connection, kept: preparing costs more than running. The least recently used one goes
 * when there are too many.
 *
 * Rows are fetched as arrays and named here. Node's own objects are slow twice over, to make and to read: with them a page of
 * sessions takes half as long again.
 */
import type { DatabaseSync, SQLOutputValue, StatementSync } from 'node:sqlite';
import { statementsCachedMax } from '../limits.ts';
import { checkParameters } from '../schema/check-parameters.ts';

export interface StatementResult {
  readonly rows: unknown[];
  /** `undefined` for what returns rows. */
  readonly changes: number | undefined;
}

export interface Statements {
  run(sql: string, values?: readonly unknown[]): StatementResult;
}

interface Prepared {
  readonly statement: StatementSync;
  /** None for what returns no rows. */
  readonly columns: readonly string[];
}

export function createStatements(db: DatabaseSync): Statements {
  const prepared = new Map<string, Prepared>();

  function prepare(sql: string): Prepared {
    const known = prepared.get(sql);
    if (known !== undefined) {
      prepared.delete(sql);
      prepared.set(sql, known);
      return known;
    }
    const statement = db.prepare(sql);
    statement.setReturnArrays(true);
    const entry = { statement, columns: statement.columns().map(({ name }) => name) };
    prepared.set(sql, entry);
    if (prepared.size > statementsCachedMax) {
      const [oldest = sql] = prepared.keys();
      prepared.delete(oldest);
    }
    return entry;
  }

  return {
    run: (sql, values = []) => {
      const { statement, columns } = prepare(sql);
      const parameters = checkParameters(values);
      if (columns.length > 0) {
        /* The types know nothing of `setReturnArrays`. */
        const rows = statement.all(...parameters) as unknown as readonly SQLOutputValue[][];
        return { rows: rows.map((row) => nameValues(columns, row)), changes: undefined };
      }
      return { rows: [], changes: Number(statement.run(...parameters).changes) };
    },
  };
}

function nameValues(columns: readonly string[], values: readonly SQLOutputValue[]): object {
  const row: Record<string, SQLOutputValue | undefined> = {};
  for (let index = 0; index < columns.length; index += 1) row[columns[index] ?? ''] = values[index];
  return row;
}
