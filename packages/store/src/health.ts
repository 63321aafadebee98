/*
 * Whether the database works: a row is written and read back, and every table is looked at. A database that only answers may be
 * one whose disk takes nothing more, or a cache above a file that is garbage by now.
 */
import { sql } from 'kysely';
import type { Engine, Runner } from './engine.ts';
import { StoreError } from './errors.ts';
import { migrations } from './migrations/migrate.ts';
import { type DialectName, statementsFor } from './migrations/migration.ts';

export type StoreFault =
  /** It does not answer. */
  | 'down'
  /** It answers, and what it holds is not what was written: a damaged file, a table that is gone. */
  | 'damaged'
  /** It can be read and not written: a full disk, one that went read-only. */
  | 'unwritable';

/** The one row. */
const beatId = 1;

/** Undefined when all is well. Never rejects. */
export async function findFault(engine: Engine, nowMs: number): Promise<StoreFault | undefined> {
  try {
    await checkTables(engine);
  } catch (error) {
    return isDamage(error) ? 'damaged' : 'down';
  }
  let beats: number;
  try {
    beats = await writeBeat(engine, nowMs);
  } catch (error) {
    return isDamage(error) ? 'damaged' : 'unwritable';
  }
  try {
    await engine.readBack({ sql: tablesAndBeat(engine.dialect), beats });
    return undefined;
  } catch (error) {
    return isDamage(error) ? 'damaged' : 'down';
  }
}

async function checkTables(engine: Runner): Promise<void> {
  await engine.read((db) => sql.raw(tablesAndBeat(engine.dialect)).execute(db));
}

/** Asks every table for a row, and for the beats; fails when one is not there or its first page cannot be read. */
function tablesAndBeat(dialect: DialectName): string {
  const looks = tablesOf(dialect).map((name) => `EXISTS (SELECT 1 FROM ${name})`);
  const beats = `(SELECT beats FROM health_beats WHERE id = ${beatId}) AS beats`;
  return `SELECT ${beats}, ${looks.map((look, index) => `${look} AS t${index}`).join(', ')}`;
}

/** In the order of the migrations: a table may be dropped, and made anew. */
function tablesOf(dialect: DialectName): readonly string[] {
  const tables = new Set<string>();
  for (const statement of migrations.flatMap((one) => statementsFor(dialect, one))) {
    const [, verb, name = ''] = /^(CREATE|DROP) TABLE (\w+)/.exec(statement) ?? [];
    if (verb === 'CREATE') tables.add(name);
    else if (verb === 'DROP') tables.delete(name);
  }
  return [...tables];
}

async function writeBeat(engine: Runner, nowMs: number): Promise<number> {
  const { beats } = await engine.write((db) =>
    db
      .insertInto('health_beats')
      .values({ id: beatId, beats: 1, at_ms: nowMs })
      .onConflict((conflict) =>
        conflict
          .column('id')
          .doUpdateSet({ beats: sql<number>`health_beats.beats + 1`, at_ms: nowMs }),
      )
      .returning('beats')
      .executeTakeFirstOrThrow(),
  );
  return beats;
}

/** These statements have always worked, so a refusal means damage. No answer means that the database is down. */
function isDamage(error: unknown): boolean {
  if (!(error instanceof StoreError)) return false;
  return error.code === 'store-corrupt' || missingTable.includes(codeOf(error));
}

/* SQLITE_ERROR, and undefined_table or undefined_column of PostgreSQL: our SQL is right, so the schema is not ours. */
const missingTable: readonly unknown[] = [1, '42P01', '42703'];

function codeOf({ detail }: StoreError): unknown {
  return detail['sqlite'] ?? detail['sqlstate'];
}
