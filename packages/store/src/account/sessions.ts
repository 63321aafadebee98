/*
 * The sessions of an account. packages/sessions decides what becomes of one. Here one transaction reads its row, asks for the
 * decision, and writes the row and the audit entry.
 */
import type {
  ChangeOutcome,
  Decide,
  Owner,
  SessionRecords,
  SessionStatus,
} from '@clawdfather/sessions';
import { type AuditEntry, auditedWrite, changed, insertAudit, unchanged } from '../audit.ts';
import type { AccountContext, AccountId, Listing, Page } from '../context.ts';
import type { Database } from '../engine.ts';
import { checkText } from '../schema/json-text.ts';
import { type RecordOf, toOptionalRecord, toRecord } from '../schema/record.ts';
import type { SessionLeasesTable } from '../schema/tables.ts';
import { createSelect, pageOf, type PageValues, selectPage } from '../select.ts';
import { writeNews } from './feed/news.ts';
import { newsOfSession } from './feed/session-news.ts';
import { rowChangesOf, stateOf } from './session-row.ts';

export type Session = RecordOf<SessionLeasesTable>;

export type CreateSessionOutcome =
  | { readonly outcome: 'created'; readonly session: Session }
  | {
      readonly outcome:
        | 'connection_not_found'
        | 'connection_not_tested'
        | 'keypair_revoked'
        | 'session_limit_reached';
    };

export interface Sessions extends SessionRecords {
  /** Newest first. */
  list(query?: Page & { status?: SessionStatus }): Promise<Listing<Session>>;
  get(id: string): Promise<Session | undefined>;
  /** Without a connection: on the gateway's own machine. */
  create(input: {
    connectionId?: string;
    agent: string;
    owner: Owner;
    openMax: number;
    audit: AuditEntry;
  }): Promise<CreateSessionOutcome>;
}

export function createSessions(context: AccountContext): Sessions {
  const { runner, accountId, clock } = context;
  return {
    list: ({ status, ...page } = {}) =>
      selectPage(runner, selectSessions, { page, values: { accountId, status } }),
    get: async (id) => {
      const [row] = await runner.select(selectSession, { accountId, id });
      return toOptionalRecord(row);
    },
    create: ({ audit, ...input }) =>
      auditedWrite<CreateSessionOutcome>(context, audit, (db) => create(db, context, input)),
    change: (id, decide) => runner.write((db) => change(db, context, { id, decide })),
    clientSeen: (id) =>
      /* No audit entry and no read before: the write only moves one time forward. */
      runner.write(async (db) => {
        const nowMs = clock.wallMs();
        const row = await db
          .updateTable('session_leases')
          .set((eb) => ({
            client_heartbeat_at_ms: eb
              .case()
              .when('client_heartbeat_at_ms', '<', nowMs)
              .then(nowMs)
              .else(eb.ref('client_heartbeat_at_ms'))
              .end(),
          }))
          .where('account_id', '=', accountId)
          .where('id', '=', id)
          .where('ended_at_ms', 'is', null)
          .returning('id')
          .executeTakeFirst();
        return row === undefined ? 'not_found' : 'seen';
      }),
  };
}

interface SessionFilter {
  readonly accountId: AccountId;
  readonly status: SessionStatus | undefined;
}

const selectSessions = createSelect(
  (db, { accountId, status, ...page }: PageValues<SessionFilter>) => {
    const mine = db.selectFrom('session_leases').where('account_id', '=', accountId);
    const all = status === undefined ? mine : mine.where('status', '=', status);
    return pageOf(all.orderBy('created_at_ms', 'desc').orderBy('id'), page);
  },
);

const selectSession = createSelect(
  (db, { accountId, id }: { readonly accountId: AccountId; readonly id: string }) =>
    whereSession(db, accountId, id),
);

function whereSession(db: Database, accountId: AccountId, id: string) {
  return db
    .selectFrom('session_leases')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('id', '=', id);
}

async function change(
  db: Database,
  context: AccountContext,
  { id, decide }: { readonly id: string; readonly decide: Decide },
): Promise<ChangeOutcome> {
  const { accountId, clock } = context;
  const row = await whereSession(db, accountId, id).executeTakeFirst();
  if (row === undefined) return { outcome: 'not_found' };
  const decision = decide(stateOf(row), clock.wallMs());
  if (decision.outcome === 'unchanged') return { outcome: 'unchanged', session: toRecord(row) };
  if (decision.outcome === 'refused') return { outcome: decision.why, session: toRecord(row) };
  const next = await db
    .updateTable('session_leases')
    .set(rowChangesOf(decision.state))
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .where('epoch', '=', row.epoch)
    .returningAll()
    .executeTakeFirstOrThrow();
  await insertAudit(db, context, { target: id, ...decision.audit });
  await writeNews(db, context, newsOfSession(row, next, decision.audit));
  return { outcome: 'changed', session: toRecord(next) };
}

interface NewSession {
  readonly connectionId?: string;
  readonly agent: string;
  readonly owner: Owner;
  readonly openMax: number;
}

async function create(db: Database, context: AccountContext, input: NewSession) {
  const { accountId, clock, random } = context;
  const { connectionId, agent, owner, openMax } = input;
  if (connectionId !== undefined) {
    const refusal = await connectionRefusal(db, accountId, connectionId);
    if (refusal !== undefined) return unchanged({ outcome: refusal });
  }
  const { open } = await db
    .selectFrom('session_leases')
    .select((eb) => eb.fn.countAll<number>().as('open'))
    .where('account_id', '=', accountId)
    .where('ended_at_ms', 'is', null)
    .executeTakeFirstOrThrow();
  if (open >= openMax) return unchanged({ outcome: 'session_limit_reached' });
  const nowMs = clock.wallMs();
  const row = await db
    .insertInto('session_leases')
    .values({
      account_id: accountId,
      id: random.id(),
      connection_id: connectionId ?? null,
      agent: checkText('agent', agent),
      status: 'pending',
      epoch: 1,
      owner_instance_id: owner.instanceId,
      owner_generation: owner.generation,
      owner_heartbeat_at_ms: nowMs,
      client_heartbeat_at_ms: nowMs,
      agent_session_id: null,
      error_code: null,
      error_message: null,
      close_reason: null,
      created_at_ms: nowMs,
      started_at_ms: null,
      ended_at_ms: null,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return changed({ outcome: 'created', session: toRecord(row) }, row.id);
}

async function connectionRefusal(db: Database, accountId: AccountId, connectionId: string) {
  const row = await db
    .selectFrom('ssh_connections as connection')
    .innerJoin('agent_keypairs as keypair', (join) =>
      join
        .onRef('keypair.account_id', '=', 'connection.account_id')
        .onRef('keypair.id', '=', 'connection.keypair_id'),
    )
    .select(['connection.test_result', 'connection.pin_key', 'keypair.status'])
    .where('connection.account_id', '=', accountId)
    .where('connection.id', '=', connectionId)
    .where('connection.deleted_at_ms', 'is', null)
    .executeTakeFirst();
  if (row === undefined) return 'connection_not_found' as const;
  // A rotated one is good until its successor is proven here.
  if (row.status === 'revoked') return 'keypair_revoked' as const;
  const isTested = row.test_result === 'ok' && row.pin_key !== null;
  return isTested ? undefined : ('connection_not_tested' as const);
}
