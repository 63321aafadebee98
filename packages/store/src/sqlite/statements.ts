/*
 * Prepared statements of one SQLite connection, kept: preparing costs more than running. The least recently used one goes
 * when there are too many.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
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
  readonly returnsRows: boolean;
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
    const entry = { statement, returnsRows: statement.columns().length > 0 };
    prepared.set(sql, entry);
    if (prepared.size > statementsCachedMax) {
      const [oldest = sql] = prepared.keys();
      prepared.delete(oldest);
    }
    return entry;
  }

  return {
    run: (sql, values = []) => {
      const { statement, returnsRows } = prepare(sql);
      const parameters = checkParameters(values);
      if (returnsRows) return { rows: statement.all(...parameters), changes: undefined };
      return { rows: [], changes: Number(statement.run(...parameters).changes) };
    },
  };
}
