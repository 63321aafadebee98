/*
 * Inserting many events, which is what the control database does most.
 *
 * Several rows per statement, in few sizes, so that the statements stay prepared. The text of each size is compiled once and
 * then only filled in: compiling 64 rows costs more than inserting them.
 */
import { CompiledQuery } from 'kysely';
import type { Database } from '../engine.ts';
import { chunkSizes } from '../limits.ts';
import type { DialectName } from '../migrations/migration.ts';
import type { TurnEventsTable } from '../schema/tables.ts';

const columns = [
  'account_id',
  'thread_id',
  'seq',
  'turn_id',
  'type',
  'payload_json',
  'created_at_ms',
] as const satisfies readonly (keyof TurnEventsTable)[];

/* A text per dialect and size; nothing in it depends on a connection. */
const texts = new Map<string, string>();

export async function insertEvents(
  db: Database,
  dialect: DialectName,
  rows: readonly TurnEventsTable[],
): Promise<void> {
  let start = 0;
  for (const size of chunkSizes) {
    for (; rows.length - start >= size; start += size) {
      const chunk = rows.slice(start, start + size);
      const text = textFor(db, `${dialect} ${size}`, chunk);
      await db.executeQuery(CompiledQuery.raw(text, valuesOf(chunk)));
    }
  }
}

/* A plain loop, without an array per row: this runs for every event there is. */
function valuesOf(rows: readonly TurnEventsTable[]): unknown[] {
  const values: unknown[] = [];
  for (const row of rows) for (const column of columns) values.push(row[column]);
  return values;
}

function textFor(db: Database, key: string, rows: readonly TurnEventsTable[]): string {
  const known = texts.get(key);
  if (known !== undefined) return known;
  /* kysely takes the order of the columns from the values. */
  const ordered = rows.map(
    (row): TurnEventsTable => ({
      account_id: row.account_id,
      thread_id: row.thread_id,
      seq: row.seq,
      turn_id: row.turn_id,
      type: row.type,
      payload_json: row.payload_json,
      created_at_ms: row.created_at_ms,
    }),
  );
  const { sql: text, parameters } = db.insertInto('turn_events').values(ordered).compile();
  if (parameters.length !== rows.length * columns.length) {
    throw new TypeError('an event has a column that is not a parameter');
  }
  texts.set(key, text);
  return text;
}
