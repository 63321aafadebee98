/*
 * The clean-up's view of sessions, over all accounts, by their two clocks (docs/store.md).
 *
 * - `heartbeat` is the owner's clock, for everything that one owner has, in one statement. It does the same as `nextSession`
 *   does for `owner-beat` (a test compares them), silence beyond the limit included.
 * - `orphaned`: the owner's clock has stopped. They may be taken; nothing is closed for being orphaned alone.
 * - `onRevokedKeys`: what a revocation by force did not live to close.
 * - `idle`: the client's clock has stopped while the owner was alive.
 */
import { sql } from 'kysely';
import type { DueSession, DueSessions, Owner, SessionStatus } from '@clawdfather/sessions';
import type { QueryContext } from '../context.ts';
import type { Database } from '../engine.ts';
import { cleanupRowsMax, idleTimeoutMs } from '../limits.ts';
import { toRecord } from '../schema/record.ts';
import type { SessionLeasesTable } from '../schema/tables.ts';
import { parseAccountId } from './accounts.ts';

interface OwnerLimits {
  /** An owner that was silent for longer was not there to hear its clients. */
  readonly ownerStaleMs: number;
}

export interface Leases extends DueSessions {
  /** How many were kept alive. */
  heartbeat(owner: Owner, limits: OwnerLimits): Promise<number>;
  /** Open ones of this owner, for a start that adopts. */
  ownedBy(owner: Owner): Promise<readonly DueSession[]>;
  count(status: SessionStatus): Promise<number>;
}

export function createLeases({ runner, clock }: QueryContext): Leases {
  return {
    heartbeat: (owner, { ownerStaleMs }) => {
      const nowMs = clock.wallMs();
      return runner.write(async (db) => {
        const { numUpdatedRows } = await db
          .updateTable('session_leases')
          .set({
            owner_heartbeat_at_ms: nowMs,
            client_heartbeat_at_ms: heardClientSql(nowMs, ownerStaleMs),
          })
          .where('owner_instance_id', '=', owner.instanceId)
          .where('owner_generation', '=', owner.generation)
          .where('ended_at_ms', 'is', null)
          .where('owner_heartbeat_at_ms', '<=', nowMs)
          .executeTakeFirst();
        return Number(numUpdatedRows);
      });
    },
    orphaned: (by, { ownerStaleMs }) =>
      runner.read((db) => readOrphaned(db, by, clock.wallMs() - ownerStaleMs)),
    idle: (owner, { ownerStaleMs, idleGraceMs }) =>
      runner.read((db) => {
        const nowMs = clock.wallMs();
        return readIdle(db, owner, { heardMs: nowMs - ownerStaleMs, seenMs: nowMs - idleGraceMs });
      }),
    onRevokedKeys: (owner) => runner.read((db) => readOnRevokedKeys(db, owner)),
    ownedBy: (owner) =>
      runner.read(async (db) => {
        const rows = await db
          .selectFrom('session_leases')
          .selectAll()
          .where('ended_at_ms', 'is', null)
          .where('owner_instance_id', '=', owner.instanceId)
          .where('owner_generation', '=', owner.generation)
          .orderBy('created_at_ms')
          .orderBy('id')
          .execute();
        return rows.map(toDue);
      }),
    count: (status) =>
      runner.read(async (db) => {
        const { count } = await db
          .selectFrom('session_leases')
          .select((eb) => eb.fn.countAll<number>().as('count'))
          .where('status', '=', status)
          .$if(status === 'active' || status === 'pending', (query) =>
            query.where('ended_at_ms', 'is', null),
          )
          .executeTakeFirstOrThrow();
        return count;
      }),
  };
}

function heardClientSql(nowMs: number, ownerStaleMs: number) {
  return sql<number>`CASE
    WHEN ${nowMs} - owner_heartbeat_at_ms <= ${ownerStaleMs} THEN client_heartbeat_at_ms
    WHEN client_heartbeat_at_ms >= ${nowMs} THEN client_heartbeat_at_ms
    WHEN client_heartbeat_at_ms >= owner_heartbeat_at_ms THEN ${nowMs}
    ELSE client_heartbeat_at_ms + ${nowMs} - owner_heartbeat_at_ms
  END`;
}

function toDue(row: SessionLeasesTable): DueSession {
  return { ...toRecord(row), accountId: parseAccountId(row.account_id) };
}

async function readOrphaned(
  db: Database,
  by: Owner,
  heardMs: number,
): Promise<readonly DueSession[]> {
  const rows = await db
    .selectFrom('session_leases')
    .selectAll()
    .where('ended_at_ms', 'is', null)
    .where((eb) =>
      eb.or([
        eb.and([
          eb('owner_instance_id', '=', by.instanceId),
          eb('owner_generation', '<', by.generation),
        ]),
        eb.and([
          eb('owner_instance_id', '!=', by.instanceId),
          eb('owner_heartbeat_at_ms', '<', heardMs),
        ]),
      ]),
    )
    .orderBy('owner_heartbeat_at_ms')
    .limit(cleanupRowsMax)
    .execute();
  return rows.map(toDue);
}

async function readIdle(
  db: Database,
  owner: Owner,
  { heardMs, seenMs }: { readonly heardMs: number; readonly seenMs: number },
): Promise<readonly DueSession[]> {
  const idleUntilMs = sql<number>`lease.client_heartbeat_at_ms
    + COALESCE(settings.idle_timeout_ms, ${sql.lit(idleTimeoutMs)})`;
  const rows = await db
    .selectFrom('session_leases as lease')
    .leftJoin('settings', 'settings.account_id', 'lease.account_id')
    .selectAll('lease')
    .where('lease.ended_at_ms', 'is', null)
    .where('lease.owner_instance_id', '=', owner.instanceId)
    .where('lease.owner_generation', '=', owner.generation)
    /* An owner that has just woken up beats first, which moves the client's clock on. */
    .where('lease.owner_heartbeat_at_ms', '>=', heardMs)
    .where(idleUntilMs, '<', seenMs)
    .orderBy('lease.client_heartbeat_at_ms')
    .limit(cleanupRowsMax)
    .execute();
  return rows.map(toDue);
}

async function readOnRevokedKeys(db: Database, owner: Owner): Promise<readonly DueSession[]> {
  const rows = await db
    .selectFrom('session_leases as lease')
    .innerJoin('ssh_connections as connection', (join) =>
      join
        .onRef('connection.account_id', '=', 'lease.account_id')
        .onRef('connection.id', '=', 'lease.connection_id'),
    )
    .innerJoin('agent_keypairs as keypair', (join) =>
      join
        .onRef('keypair.account_id', '=', 'connection.account_id')
        .onRef('keypair.id', '=', 'connection.keypair_id'),
    )
    .selectAll('lease')
    .where('lease.ended_at_ms', 'is', null)
    .where('lease.owner_instance_id', '=', owner.instanceId)
    .where('lease.owner_generation', '=', owner.generation)
    .where('keypair.status', '=', 'revoked')
    .orderBy('lease.created_at_ms')
    .limit(cleanupRowsMax)
    .execute();
  return rows.map(toDue);
}
