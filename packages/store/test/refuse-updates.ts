/*
 * A table whose rows cannot be changed any more, as on a disk that has become full, on both databases.
 */
import { sql } from 'kysely';
import type { Engine } from '../src/engine.ts';

export async function refuseUpdates(engine: Engine, table: string): Promise<void> {
  const statements =
    engine.dialect === 'sqlite'
      ? [`CREATE TRIGGER refuse BEFORE UPDATE ON ${table} BEGIN SELECT RAISE(ABORT, 'no'); END`]
      : [
          `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION USING ERRCODE = ''53100''; END'`,
          `CREATE TRIGGER refuse BEFORE UPDATE ON ${table} FOR EACH ROW EXECUTE FUNCTION refuse()`,
        ];
  for (const statement of statements) {
    await engine.write((db) => sql.raw(statement).execute(db));
  }
}
