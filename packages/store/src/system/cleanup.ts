/*
 * Removes expired rows, in small transactions, so that other writes come in between. A call removes a limited number and leaves
 * the rest to the next one.
 *
 * CL1 OAuth states, login links and codes, idempotency keys, rate-limit windows and MCP sessions are removed when they end. Devices, tokens,
 *     sessions, notices and agents' runs stay for `endedKeptMs` after their end, so that one can still ask what became of them.
 * CL2 The audit log and the events of an account lose their oldest entries only, and say from which number on they are kept.
 */
import { sql } from 'kysely';
import type { QueryContext } from '../context.ts';
import type { Database, Runner } from '../engine.ts';
import {
  auditKeptMs,
  cleanupBatchesMax,
  cleanupRowsMax,
  endedKeptMs,
  eventsKeptMs,
  startsKeptMs,
} from '../limits.ts';
import type { Tables } from '../schema/tables.ts';
import { forgetRunsBefore } from './due-threads.ts';
import { resolveOld } from './old-notices.ts';

export interface CleanupOptions {
  /** How long audit entries are kept; a year unless told. */
  readonly auditKeptMs?: number;
}

export interface Cleanup {
  /** Rows removed, by table. The audit log keeps what devices and tokens did. */
  removeExpired(options?: CleanupOptions): Promise<Readonly<Record<string, number>>>;
}

interface Expiring {
  readonly table: keyof Tables;
  readonly time: string;
  readonly key: readonly string[];
  /** How long it is kept after that time. */
  readonly keptMs: number;
}

const accountKey = ['account_id', 'id'];
const expiring: readonly Expiring[] = [
  { table: 'oauth_states', time: 'expires_at_ms', key: ['state_hash'], keptMs: 0 },
  { table: 'login_links', time: 'expires_at_ms', key: ['link_hash'], keptMs: 0 },
  { table: 'login_codes', time: 'expires_at_ms', key: accountKey, keptMs: 0 },
  { table: 'idempotency_keys', time: 'expires_at_ms', key: ['account_id', 'key'], keptMs: 0 },
  { table: 'rate_limits', time: 'window_ends_at_ms', key: ['scope', 'subject'], keptMs: 0 },
  { table: 'mcp_sessions', time: 'expires_at_ms', key: ['account_id', 'id_hash'], keptMs: 0 },
  { table: 'app_sessions', time: 'expires_at_ms', key: accountKey, keptMs: endedKeptMs },
  { table: 'app_sessions', time: 'revoked_at_ms', key: accountKey, keptMs: endedKeptMs },
  { table: 'api_tokens', time: 'expires_at_ms', key: accountKey, keptMs: endedKeptMs },
  { table: 'api_tokens', time: 'revoked_at_ms', key: accountKey, keptMs: endedKeptMs },
  { table: 'session_leases', time: 'ended_at_ms', key: accountKey, keptMs: endedKeptMs },
  { table: 'notices', time: 'resolved_at_ms', key: accountKey, keptMs: endedKeptMs },
  {
    table: 'gateway_starts',
    time: 'started_at_ms',
    key: ['instance_id', 'generation'],
    keptMs: startsKeptMs,
  },
];

export function createCleanup({ runner, clock, random }: QueryContext): Cleanup {
  return {
    removeExpired: async (options = {}) => {
      const nowMs = clock.wallMs();
      const removed: Record<string, number> = {};
      const count = async (table: string, step: (db: Database) => Promise<number>) => {
        removed[table] = (removed[table] ?? 0) + (await inBatches(runner, step));
      };
      for (const entry of expiring) {
        await count(entry.table, (db) => removeOld(db, entry, nowMs - entry.keptMs));
      }
      await resolveOld({ runner, clock, random }, nowMs - endedKeptMs);
      const agent_runs = await forgetRunsBefore(runner, nowMs - endedKeptMs);
      const keptMs = {
        audit_log: options.auditKeptMs ?? auditKeptMs,
        account_events: eventsKeptMs,
      };
      for (const log of logs) {
        const cutMs = nowMs - keptMs[log.entries];
        for (const accountId of await readAccountsWithOldEntries(runner, log, cutMs)) {
          await count(log.entries, (db) => removeEntries(db, log, { accountId, untilMs: cutMs }));
        }
      }
      return { audit_log: 0, account_events: 0, agent_runs, ...removed };
    },
  };
}

/** A transaction for each, until one is not full. */
async function inBatches(runner: Runner, step: (db: Database) => Promise<number>): Promise<number> {
  let total = 0;
  for (let batch = 0; batch < cleanupBatchesMax; batch += 1) {
    const rows = await runner.write(step);
    total += rows;
    if (rows < cleanupRowsMax) break;
  }
  return total;
}

async function removeOld(
  db: Database,
  { table, time, key }: Expiring,
  untilMs: number,
): Promise<number> {
  const keys = sql.join(key.map((column) => sql.ref(column)));
  const { numAffectedRows } = await sql`DELETE FROM ${sql.table(table)} WHERE (${keys}) IN (
    SELECT ${keys} FROM ${sql.table(table)}
    WHERE ${sql.ref(time)} <= ${untilMs} LIMIT ${cleanupRowsMax}
  )`.execute(db);
  return Number(numAffectedRows ?? 0n);
}

/** Numbered without a hole, per account. */
interface Log {
  readonly entries: 'audit_log' | 'account_events';
  readonly heads: 'audit_heads' | 'account_event_heads';
}

const logs: readonly Log[] = [
  { entries: 'audit_log', heads: 'audit_heads' },
  { entries: 'account_events', heads: 'account_event_heads' },
];

/** By their oldest entry, which is one look into the log for each account. */
async function readAccountsWithOldEntries(
  runner: Runner,
  { entries, heads }: Log,
  untilMs: number,
): Promise<readonly string[]> {
  return await runner.read(async (db) => {
    const { rows } = await sql<{ account_id: string }>`SELECT account_id
      FROM ${sql.table(heads)} AS heads
      WHERE ${untilMs} >= (
        SELECT at_ms FROM ${sql.table(entries)} AS entries
        WHERE entries.account_id = heads.account_id
        ORDER BY seq LIMIT 1
      )
      LIMIT ${cleanupRowsMax}`.execute(db);
    return rows.map(({ account_id }) => account_id);
  });
}

/** CL2: removes from the oldest on, up to the first entry that is young enough, so that the rest has no gap. */
async function removeEntries(
  db: Database,
  { entries, heads }: Log,
  { accountId, untilMs }: { readonly accountId: string; readonly untilMs: number },
): Promise<number> {
  const oldest = await db
    .selectFrom(entries)
    .select(['seq', 'at_ms'])
    .where('account_id', '=', accountId)
    .orderBy('seq')
    .limit(cleanupRowsMax)
    .execute();
  const young = oldest.findIndex(({ at_ms }) => at_ms > untilMs);
  const old = young === -1 ? oldest : oldest.slice(0, young);
  const last = old.at(-1);
  if (last === undefined) return 0;
  await db
    .deleteFrom(entries)
    .where('account_id', '=', accountId)
    .where('seq', '<=', last.seq)
    .execute();
  await db
    .updateTable(heads)
    .set({ kept_from_seq: last.seq + 1 })
    .where('account_id', '=', accountId)
    .execute();
  return old.length;
}
