/*
 * The prepared statements of one connection. Preparing costs more than running, so they are kept; when there are too many,
 * the one that was not used for longest goes.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { namedColumnsMax, statementsCachedMax } from './limits.ts';

export interface Prepared {
  readonly statement: StatementSync;
  /** Empty for a statement that returns no rows. */
  columns: readonly string[];
  /** Its rows are fetched as arrays, which statements.ts makes into objects. */
  readonly isNamedHere: boolean;
  /** False for a statement that may write, which one with RETURNING does although it returns rows. */
  readonly isRead: boolean;
  /** The number of the look-up that asked for it last. */
  usedAt: number;
}

/* What does not match is taken for a write, which is only slower. */
const readPattern = /^\s*(?:SELECT|PRAGMA|EXPLAIN)\b/i;

/** Finds a statement, or prepares it. */
export type StatementCache = (sql: string) => Prepared;

export function createStatementCache(db: DatabaseSync): StatementCache {
  const prepared = new Map<string, Prepared>();
  let lookUps = 0;
  return (sql) => {
    lookUps += 1;
    const known = prepared.get(sql);
    if (known !== undefined) {
      known.usedAt = lookUps;
      return known;
    }
    const statement = db.prepare(sql);
    if (prepared.size >= statementsCachedMax) forgetOldest(prepared);
    const columns = columnsOf(statement);
    const isNamedHere = columns.length <= namedColumnsMax;
    statement.setReturnArrays(isNamedHere);
    const entry = {
      statement,
      columns,
      isNamedHere,
      isRead: readPattern.test(sql),
      usedAt: lookUps,
    };
    prepared.set(sql, entry);
    return entry;
  };
}

export function columnsOf(statement: StatementSync): readonly string[] {
  return statement.columns().map(({ name }) => name);
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
