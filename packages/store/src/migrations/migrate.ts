/*
 * Bringing a database up to date, and saying whether it is.
 *
 * All missing migrations run in one transaction under one lock (SQLite's write lock, an advisory lock in PostgreSQL), so
 * two gateways that start at once migrate once. Forward only.
 *
 * What was applied is compared by hash first: a migration that was edited after its release, or a hole in the list, means
 * that the schema is not the one the queries were written for. That is refused, never repaired.
 */
import { type Kysely, sql } from 'kysely';
import { StoreError } from '../errors.ts';
import type { ControlMigrationsTable, Tables } from '../schema/tables.ts';
import { migration0001 } from './0001-accounts.ts';
import { migration0002 } from './0002-sessions.ts';
import { migration0003 } from './0003-threads.ts';
import { migration0004 } from './0004-shared.ts';
import { migration0005 } from './0005-retention.ts';
import { migration0006 } from './0006-health.ts';
import { migration0007 } from './0007-mcp-sessions.ts';
import { migration0008 } from './0008-master-keys.ts';
import { migration0009 } from './0009-key-rotation.ts';
import { migration0010 } from './0010-connection-policy.ts';
import { migration0011 } from './0011-agents.ts';
import { migration0012 } from './0012-account-events.ts';
import { migration0013 } from './0013-ownership.ts';
import { migration0014 } from './0014-queue.ts';
import { migration0015 } from './0015-history.ts';
import { migration0016 } from './0016-artifacts.ts';
import { migration0017 } from './0017-recovery.ts';
import { migration0018 } from './0018-push.ts';
import { migration0019 } from './0019-login-codes.ts';
import { migration0020 } from './0020-message-hash.ts';
import { migration0021 } from './0021-thread-pins.ts';
import { migration0022 } from './0022-choices.ts';
import { migration0023 } from './0023-test-cause.ts';
import { migration0024 } from './0024-turn-lists.ts';
import { type DialectName, hashOf, type Migration, statementsFor } from './migration.ts';

export const migrations: readonly Migration[] = [
  migration0001,
  migration0002,
  migration0003,
  migration0004,
  migration0005,
  migration0006,
  migration0007,
  migration0008,
  migration0009,
  migration0010,
  migration0011,
  migration0012,
  migration0013,
  migration0014,
  migration0015,
  migration0016,
  migration0017,
  migration0018,
  migration0019,
  migration0020,
  migration0021,
  migration0022,
  migration0023,
  migration0024,
];

export interface MigrationStatus {
  /** `newer`: a later version wrote here; `changed` and `missing`: the list does not fit what was applied. */
  readonly state: 'current' | 'pending' | 'newer' | 'changed' | 'missing';
  readonly appliedVersion: number;
  readonly newestVersion: number;
  /** The first version that does not fit. */
  readonly culprit?: number;
}

export interface MigrateOptions {
  readonly dialect: DialectName;
  readonly nowMs: number;
  readonly list?: readonly Migration[];
}

type Applied = Pick<ControlMigrationsTable, 'version' | 'hash'>;

/** Must be called inside a transaction that holds the lock. Returns the versions it applied. */
export async function migrate(
  db: Kysely<Tables>,
  { dialect, nowMs, list = migrations }: MigrateOptions,
): Promise<readonly number[]> {
  await createOwnTable(db, dialect);
  const applied = await readApplied(db);
  refuseMisfit(compareMigrations(applied, list));
  const missing = list.slice(applied.length);
  for (const migration of missing) {
    for (const statement of statementsFor(dialect, migration)) await sql.raw(statement).execute(db);
    await db
      .insertInto('control_migrations')
      .values({
        version: migration.version,
        name: migration.name,
        hash: hashOf(migration),
        applied_at_ms: nowMs,
      })
      .execute();
  }
  return missing.map(({ version }) => version);
}

/** For `/readyz` and `doctor`: asks without changing anything. */
export async function readMigrationStatus(
  db: Kysely<Tables>,
  dialect: DialectName,
  list: readonly Migration[] = migrations,
): Promise<MigrationStatus> {
  const isThere = await hasOwnTable(db, dialect);
  return compareMigrations(isThere ? await readApplied(db) : [], list);
}

export function compareMigrations(
  applied: readonly Applied[],
  list: readonly Migration[],
): MigrationStatus {
  const appliedVersion = applied.at(-1)?.version ?? 0;
  const newestVersion = list.at(-1)?.version ?? 0;
  const versions = { appliedVersion, newestVersion };
  for (const [index, migration] of list.entries()) {
    const row = applied[index];
    if (row === undefined) break;
    if (row.version !== migration.version) {
      return { state: 'missing', ...versions, culprit: migration.version };
    }
    if (row.hash !== hashOf(migration)) {
      return { state: 'changed', ...versions, culprit: migration.version };
    }
  }
  if (applied.length > list.length) return { state: 'newer', ...versions };
  return { state: applied.length < list.length ? 'pending' : 'current', ...versions };
}

export function refuseMisfit({
  state,
  appliedVersion,
  newestVersion,
  culprit,
}: MigrationStatus): void {
  const detail = { appliedVersion, newestVersion, culprit };
  switch (state) {
    case 'current':
    case 'pending':
      return;
    case 'newer':
      throw new StoreError('store-newer', 'a newer version has written this database', {
        detail,
        hint: 'Update clawdfather, or point it at another database.',
      });
    case 'changed':
      throw new StoreError(
        'migration-changed',
        `migration ${culprit} is not the one that ran here`,
        {
          detail,
          hint: 'Released migrations never change. Use the version that made this database, or restore a backup.',
        },
      );
    case 'missing':
      throw new StoreError(
        'migration-missing',
        `migration ${culprit} never ran here, later ones did`,
        {
          detail,
          hint: 'The list of applied migrations has a hole. Restore a backup.',
        },
      );
  }
}

async function createOwnTable(db: Kysely<Tables>, dialect: DialectName): Promise<void> {
  const integer = dialect === 'sqlite' ? 'INTEGER' : 'BIGINT';
  await sql
    .raw(
      `CREATE TABLE IF NOT EXISTS control_migrations (
        version ${integer} NOT NULL PRIMARY KEY,
        name TEXT NOT NULL,
        hash TEXT NOT NULL,
        applied_at_ms ${integer} NOT NULL
      )${dialect === 'sqlite' ? ' STRICT' : ''}`,
    )
    .execute(db);
}

async function hasOwnTable(db: Kysely<Tables>, dialect: DialectName): Promise<boolean> {
  const query =
    dialect === 'sqlite'
      ? sql`SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'control_migrations'`
      : sql`SELECT 1 WHERE to_regclass('control_migrations') IS NOT NULL`;
  return (await query.execute(db)).rows.length > 0;
}

async function readApplied(db: Kysely<Tables>): Promise<readonly Applied[]> {
  return await db
    .selectFrom('control_migrations')
    .select(['version', 'hash'])
    .orderBy('version')
    .execute();
}
