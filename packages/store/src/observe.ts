/*
 * What a tracer or a histogram wants to know of each statement: what it did to which table, and how long it took. Never its
 * values, nor its text.
 */
import type { Clock } from '@clawdfather/kit';
import type { DatabaseConnection } from 'kysely';
import { statementsCachedMax } from './limits.ts';

export interface QueryObservation {
  readonly operation: 'select' | 'insert' | 'update' | 'delete' | 'other';
  /** The first one it names. */
  readonly table: string | undefined;
  readonly durationMs: number;
  readonly isDone: boolean;
}

export type QueryObserver = (observation: QueryObservation) => void;

type Description = Pick<QueryObservation, 'operation' | 'table'>;

export interface Observing {
  readonly clock: Clock;
  /** Called in the caller's async context, on both databases. */
  readonly onQuery?: QueryObserver;
}

export function observed<Connection extends DatabaseConnection>(
  connection: Connection,
  { clock, onQuery }: Observing,
): Connection {
  if (onQuery === undefined) return connection;
  return {
    ...connection,
    executeQuery: async (query) => {
      const sinceMs = clock.monotonicMs();
      let isDone = false;
      try {
        const result = await connection.executeQuery<never>(query);
        isDone = true;
        return result;
      } finally {
        onQuery({ ...describe(query.sql), durationMs: clock.monotonicMs() - sinceMs, isDone });
      }
    },
  };
}

const operations = ['select', 'insert', 'update', 'delete'] as const;
const descriptions = new Map<string, Description>();

function describe(text: string): Description {
  const known = descriptions.get(text);
  if (known !== undefined) return known;
  const [, verb = ''] = /^\s*(\w+)/.exec(text) ?? [];
  const [, table] = /\b(?:from|into|update)\s+"?(\w+)/i.exec(text) ?? [];
  const operation = operations.find((word) => word === verb.toLowerCase()) ?? 'other';
  const description: Description = { operation, table: operation === 'other' ? undefined : table };
  if (descriptions.size < statementsCachedMax) descriptions.set(text, description);
  return description;
}
