/*
 * Counts what is written through a connection, for the checkpointer's estimate of how long the log has become (checkpoint.ts).
 */
import type { ConnectionStatements, SqlValues } from '@clawdfather/sqlite';

export interface CountedStatements extends ConnectionStatements {
  /** Rows changed through `run` in this connection's life, rolled back ones included. */
  readonly changes: () => number;
  /** Of long values given to `run`; short ones share a page with the rest of their row. */
  readonly longBytes: () => number;
}

/** About half a page. */
const longMin = 2_048;

export function countWritten(statements: ConnectionStatements): CountedStatements {
  let changes = 0;
  let longBytes = 0;
  return {
    ...statements,
    run: (sql, values) => {
      if (values !== undefined) longBytes += longBytesOf(values);
      const changed = statements.run(sql, values);
      changes += changed;
      return changed;
    },
    changes: () => changes,
    longBytes: () => longBytes,
  };
}

function longBytesOf(values: SqlValues): number {
  let bytes = 0;
  for (const value of values) {
    const isLong =
      (typeof value === 'string' || value instanceof Uint8Array) && value.length > longMin;
    if (isLong) bytes += typeof value === 'string' ? Buffer.byteLength(value) : value.length;
  }
  return bytes;
}
