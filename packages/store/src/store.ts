/*
 * The control database, opened: migrated, and ready to be asked.
 */
import type { Clock, Random } from '@clawdfather/kit';
import { type NewsDesk, withNewsDesk } from './account/feed/news-desk.ts';
import { type AccountStore, createAccountStore } from './account/for-account.ts';
import type { AccountId } from './context.ts';
import type { Engine } from './engine.ts';
import { StoreError } from './errors.ts';
import { findFault, type StoreFault } from './health.ts';
import { type MigrationStatus, refuseMisfit } from './migrations/migrate.ts';
import type { Observing } from './observe.ts';
import { openPostgres, type PostgresOptions } from './postgres/open-postgres.ts';
import type { DialectName } from './migrations/migration.ts';
import { openSqlite, type SqliteOptions } from './sqlite/open-sqlite.ts';
import { createSystemQueries, type SystemQueries } from './system/for-system.ts';

export type StoreLocation =
  | ({ readonly kind: 'sqlite' } & SqliteOptions)
  | ({ readonly kind: 'postgres' } & PostgresOptions);

export interface StoreDeps extends Observing {
  readonly random: Random;
}

export interface Readiness {
  readonly isReady: boolean;
  readonly database: 'up' | StoreFault;
  readonly migrations: MigrationStatus | undefined;
  readonly latencyMs: number;
}

export interface Store extends AsyncDisposable {
  readonly dialect: DialectName;
  forAccount(accountId: AccountId): AccountStore;
  readonly system: SystemQueries;
  /** Whose events have become more, by this process. */
  readonly news: NewsDesk;
  /** For `/health` and `/readyz`: can it be read and written, and are its migrations ours? Writes a row. Never rejects. */
  readiness(): Promise<Readiness>;
  /** SQLite only: a consistent copy while the database is in use. */
  backup(path: string): Promise<void>;
  close(): Promise<void>;
}

export async function openStore(location: StoreLocation, deps: StoreDeps): Promise<Store> {
  const engine =
    location.kind === 'sqlite' ? await openSqlite(location, deps) : openPostgres(location, deps);
  try {
    await engine.migrate();
  } catch (error) {
    await engine.close();
    throw error;
  }
  return createStore(engine, deps);
}

/**
 * For a process beside gateways, which alone make a database and bring it up to date. Throws `store-missing`, `store-older`, and what
 * `openStore` throws.
 */
export async function openStoreAsItIs(location: StoreLocation, deps: StoreDeps): Promise<Store> {
  const engine =
    location.kind === 'sqlite'
      ? await openSqlite(location, deps, 'there')
      : openPostgres(location, deps);
  try {
    refuseOlder(await engine.migrationStatus());
  } catch (error) {
    await engine.close();
    throw error;
  }
  return createStore(engine, deps);
}

function refuseOlder(status: MigrationStatus): void {
  refuseMisfit(status);
  if (status.state !== 'pending') return;
  const { appliedVersion, newestVersion } = status;
  throw new StoreError('store-older', 'this database was not brought up to date yet', {
    detail: { appliedVersion, newestVersion },
    hint: 'A gateway of this version does that when it starts: clf serve.',
  });
}

export function createStore(untold: Engine, deps: StoreDeps): Store {
  const { clock, random } = deps;
  const { engine, desk: news } = withNewsDesk(untold);
  return {
    dialect: engine.dialect,
    forAccount: (accountId) => createAccountStore(engine, { clock, random }, accountId),
    system: createSystemQueries({ clock, random, runner: engine }),
    news,
    readiness: () => readReadiness(engine, clock),
    backup: (path) => engine.backup(path),
    close: () => engine.close(),
    [Symbol.asyncDispose]: () => engine.close(),
  };
}

async function readReadiness(engine: Engine, clock: Clock): Promise<Readiness> {
  const sinceMs = clock.monotonicMs();
  /* The reason of a failure is reported by the call that needs the database. */
  const migrations = await engine.migrationStatus().catch(() => undefined);
  const latencyMs = clock.monotonicMs() - sinceMs;
  const fault = await findFault(engine, clock.wallMs());
  const isReady = fault === undefined && migrations?.state === 'current';
  return { isReady, database: fault ?? 'up', migrations, latencyMs };
}
