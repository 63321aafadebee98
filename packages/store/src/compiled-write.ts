/*
 * Writes that happen all the time, compiled once, as select.ts does for reads: building and compiling a statement with kysely costs more
 * than SQLite needs to run it.
 *
 * An insert is compiled once for each number of rows up to `rowsPerInsertMax`; more rows are several statements.
 */
import type { Compilable, CompiledQuery } from 'kysely';
import type { Database } from './engine.ts';
import { StoreError } from './errors.ts';
import { rowsPerInsertMax } from './limits.ts';
import type { DialectName } from './migrations/migration.ts';
import type { Select, SelectTarget } from './select.ts';

/** All rows are made by one function, so that their columns have one order. None is undefined. */
export type InsertRows<Row extends object> = (
  target: SelectTarget,
  rows: readonly Row[],
) => Promise<void>;

export function createInsert<Row extends object>(
  build: (db: Database, rows: readonly Row[]) => Compilable<unknown>,
): InsertRows<Row> {
  const compiled: Readonly<Record<DialectName, CompiledQuery[]>> = { sqlite: [], postgres: [] };

  function bind({ dialect, db }: SelectTarget, rows: readonly Row[]): CompiledQuery {
    const query = (compiled[dialect][rows.length] ??= build(db, rows).compile());
    /* kysely puts the values of a row in the order of its columns, row after row. */
    return { ...query, parameters: rows.flatMap((row): unknown[] => Object.values(row)) };
  }

  return async (target, rows) => {
    for (let first = 0; first < rows.length; first += rowsPerInsertMax) {
      await target.db.executeQuery(bind(target, rows.slice(first, first + rowsPerInsertMax)));
    }
  };
}

/** How many rows an update has changed. It is compiled by `createSelect`, which takes any statement. */
export async function runUpdate<Values extends object>(
  target: SelectTarget,
  update: Select<Values, unknown>,
  values: Values,
): Promise<number> {
  const { numAffectedRows } = await target.db.executeQuery(update.bind(target, values));
  return Number(numAffectedRows ?? 0n);
}

/** For a row that must be there, because the thread's version says so. */
export async function updateOne<Values extends object>(
  target: SelectTarget,
  update: Select<Values, unknown>,
  values: Values,
): Promise<void> {
  if ((await runUpdate(target, update, values)) === 1) return;
  throw new StoreError('store-corrupt', 'a row that was read before is not there any more', {
    hint: 'Has another program changed the database?',
  });
}
