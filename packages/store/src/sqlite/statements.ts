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
  /** The number of the run that used it last. */
  usedAt: number;
  /** None for what returns no rows. */
  columns: readonly string[];
}

export function createStatements(db: DatabaseSync): Statements {
  const prepared = new Map<string, Prepared>();
  let runs = 0;

  function prepare(sql: string): Prepared {
    runs += 1;
    const known = prepared.get(sql);
    if (known !== undefined) {
      known.usedAt = runs;
      return known;
    }
    const statement = db.prepare(sql);
    statement.setReturnArrays(true);
    if (prepared.size >= statementsCachedMax) forgetOldest(prepared);
    const entry = { statement, usedAt: runs, columns: columnsOf(statement) };
    prepared.set(sql, entry);
    return entry;
  }

  return {
    run: (sql, values = []) => {
      const entry = prepare(sql);
      const { statement } = entry;
      const parameters = checkParameters(values);
      if (entry.columns.length > 0) {
        /* The types know nothing of `setReturnArrays`. */
        const rows = statement.all(...parameters) as unknown as readonly SQLOutputValue[][];
        const [first] = rows;
        /* A newer gateway has added a column meanwhile, and SQLite has prepared it anew. */
        if (first !== undefined && first.length !== entry.columns.length) {
          entry.columns = columnsOf(statement);
        }
        return { rows: rows.map((row) => nameValues(entry.columns, row)), changes: undefined };
      }
      return { rows: [], changes: Number(statement.run(...parameters).changes) };
    },
  };
}

/** Looks at all of them, which costs less than preparing the one that needs the room. */
function forgetOldest(prepared: Map<string, Prepared>): void {
  let oldest: string | undefined;
  let oldestAt = Number.POSITIVE_INFINITY;
  for (const [sql, { usedAt }] of prepared) {
    if (usedAt >= oldestAt) continue;
    oldest = sql;
    oldestAt = usedAt;
  }
  if (oldest !== undefined) prepared.delete(oldest);
}

function columnsOf(statement: StatementSync): readonly string[] {
  return statement.columns().map(({ name }) => name);
}

function nameValues(columns: readonly string[], values: readonly SQLOutputValue[]): object {
  const row: Record<string, SQLOutputValue | undefined> = {};
  for (let index = 0; index < columns.length; index += 1) row[columns[index] ?? ''] = values[index];
  return row;
}
