/*
 * The control database on a PostgreSQL server, which several gateways may share.
 *
 * PG1 Transactions are SERIALIZABLE, so that one set of queries means the same as on SQLite. A transaction
 *     that the server undoes for it runs again.
 * PG2 If the connection is lost before COMMIT was sent, nothing has happened and the work runs again. If it is lost after that,
 *     the outcome is unknown: only work that finds out by itself whether it was done (an idempotency key) runs again, any other
 *     fails with `outcome-unknown`.
 */
import type { Random } from '@clawdfather/kit';
import { Kysely, sql } from 'kysely';
import pg from 'pg';
import type { Database, Engine, Work } from '../engine.ts';
import { closedError, StoreError } from '../errors.ts';
import {
  answerMs,
  connectMs,
  duplicateAttemptsMax,
  poolMax,
  retryForMs,
  retryPauseMs,
  retryPauseMsMax,
  statementMs,
} from '../limits.ts';
import { migrate, readMigrationStatus } from '../migrations/migrate.ts';
import type { Observing } from '../observe.ts';
import type { Tables } from '../schema/tables.ts';
import { createPostgresDialect } from './dialect.ts';
import { DriverError, storeErrorOfPostgres } from './failures.ts';

export interface PostgresOptions {
  readonly connectionString: string;
  readonly poolMax?: number;
  /** The longest wait for one answer, and for a transaction with all its retries. */
  readonly answerMs?: number;
  readonly retryForMs?: number;
}

export interface EngineDeps extends Observing {
  readonly random: Random;
}

type Isolation = 'serializable' | 'read committed';

interface Manner {
  readonly isolation: Isolation;
  /** PG2. */
  readonly isRepeatable: boolean;
}

/* Any number will do, as long as no other program locks the same one in this database. */
const migrationLock = 7_229_418_420;

export function openPostgres(options: PostgresOptions, deps: EngineDeps): Engine {
  const pool = new pg.Pool({
    connectionString: options.connectionString,
    max: options.poolMax ?? poolMax,
    connectionTimeoutMillis: Math.min(connectMs, options.answerMs ?? connectMs),
    query_timeout: options.answerMs ?? answerMs,
    statement_timeout: statementMs,
    idle_in_transaction_session_timeout: statementMs,
    keepAlive: true,
    application_name: 'clawdfather',
    types: { getTypeParser },
  });
  pool.on('error', ignoreIdleLoss);
  /* The pool listens only to idle ones; a connection that is cut while it is in use would end the process. */
  pool.on('connect', (client) => client.on('error', ignoreIdleLoss));
  const db: Database = new Kysely<Tables>({ dialect: createPostgresDialect(pool, deps) });
  const patience = options.retryForMs ?? retryForMs;
  let closing: Promise<void> | undefined;

  async function run<Value>(attempt: () => Promise<Value>): Promise<Value> {
    if (closing !== undefined) throw closedError();
    return await withRetries(deps, patience, attempt);
  }

  const transact = <Value>(manner: Manner, work: Work<Value>): Promise<Value> =>
    run(() => transactOnce(db, manner, work));
  const writes = { isolation: 'serializable' } as const;

  return {
    dialect: 'postgres',
    select: (select, values) =>
      run(
        async () => (await db.executeQuery(select.bind({ dialect: 'postgres', db }, values))).rows,
      ),
    read: (work) => run(() => work(db)),
    write: (work) => transact({ ...writes, isRepeatable: false }, work),
    writeRepeatable: (work) => transact({ ...writes, isRepeatable: true }, work),
    migrate: (list) =>
      /* Not serialisable: the snapshot has to be younger than the lock, or the second gateway would see no tables. */
      transact({ isolation: 'read committed', isRepeatable: true }, async (transaction) => {
        await sql`SELECT pg_advisory_xact_lock(${migrationLock})`.execute(transaction);
        const nowMs = deps.clock.wallMs();
        return await migrate(transaction, {
          dialect: 'postgres',
          nowMs,
          ...(list === undefined ? {} : { list }),
        });
      }),
    migrationStatus: () => run(() => readMigrationStatus(db, 'postgres')),
    readBack: ({ sql: text, beats }) =>
      run(async () => {
        const { rows } = await sql.raw<{ beats: number | null }>(text).execute(db);
        if ((rows[0]?.beats ?? 0) >= beats) return;
        throw new StoreError('store-corrupt', 'PostgreSQL has lost what it had acknowledged', {
          hint: 'Is the address that of a server that follows another one?',
        });
      }),
    backup: () =>
      Promise.reject(
        new StoreError('backup-failed', 'this database is backed up by PostgreSQL itself', {
          hint: 'Use pg_dump, or the archive of its log.',
        }),
      ),
    close: () => (closing ??= db.destroy().then(() => pool.end())),
  };
}

async function transactOnce<Value>(
  db: Database,
  { isolation, isRepeatable }: Manner,
  work: Work<Value>,
): Promise<Value> {
  const transaction = await db.startTransaction().setIsolationLevel(isolation).execute();
  let isCommitSent = false;
  try {
    const value = await work(transaction);
    isCommitSent = true;
    await transaction.commit().execute();
    return value;
  } catch (error) {
    await transaction.rollback().execute().catch(ignoreSecondLoss);
    const isLost = error instanceof DriverError && error.failure === 'lost';
    if (!isLost || !isCommitSent || isRepeatable) throw error;
    throw new StoreError('outcome-unknown', 'PostgreSQL was lost while it was committing', {
      cause: error.cause,
      hint: 'The change may or may not have been made. Look before trying again, or use an idempotency key.',
    });
  }
}

function ignoreIdleLoss(): void {
  /* The pool drops it and the next query opens another; a query that is under way is rejected by itself. */
}

function ignoreSecondLoss(): void {
  /* The first error says it all; a connection that cannot roll back is destroyed, which rolls back. */
}

async function withRetries<Value>(
  { clock, random }: EngineDeps,
  retryMs: number,
  attempt: () => Promise<Value>,
): Promise<Value> {
  const sinceMs = clock.monotonicMs();
  for (let attempts = 0; ; attempts += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!mayRetry(error, attempts) || clock.monotonicMs() - sinceMs > retryMs)
        throw storeErrorOfPostgres(error);
    }
    const pauseMs = Math.min(retryPauseMs * 2 ** Math.min(attempts, 16), retryPauseMsMax);
    const [chance = 0] = random.bytes(1);
    await clock.sleep(pauseMs * (0.5 + chance / 256));
  }
}

function mayRetry(error: unknown, attempts: number): boolean {
  if (!(error instanceof DriverError)) return false;
  if (error.failure === 'duplicate') return attempts < duplicateAttemptsMax;
  return error.failure !== 'refused';
}

/* Times and counters are below 2^53; a bigint as text would make the two databases differ. */
const bigintTypeId = 20;

function getTypeParser(typeId: number, format?: 'text' | 'binary'): (value: string) => unknown {
  if (typeId === bigintTypeId && format !== 'binary') return Number;
  return pg.types.getTypeParser(typeId, 'text');
}
