/*
 * SSH keys. The private half is an envelope that only `ssh` can open; it leaves through `sealedOf` and nowhere else.
 *
 * Rotation: the new key takes over the label and the connections, whose tests no longer count: the new public key has to
 * be installed there first.
 */
import type { KeyRecords, NewKeypair, RevokeOutcome } from '@clawdfather/ssh';
import { type AuditEntry, auditedWrite, type Change, changed, unchanged } from '../audit.ts';
import type { AccountContext } from '../context.ts';
import type { Database } from '../engine.ts';
import { checkText } from '../schema/json-text.ts';
import { type RecordOf, toOptionalRecord, toRecord } from '../schema/record.ts';
import type { AgentKeypairsTable, KeypairStatus } from '../schema/tables.ts';

export type Keypair = RecordOf<Omit<AgentKeypairsTable, 'private_enc'>>;

export type CreateKeypairOutcome =
  | { readonly outcome: 'created'; readonly keypair: Keypair }
  | { readonly outcome: 'label_exists' | 'key_limit_reached' };

export type RotateKeypairOutcome =
  | {
      readonly outcome: 'rotated';
      readonly keypair: Keypair;
      readonly connectionIds: readonly string[];
    }
  | { readonly outcome: 'not_found' };

export interface Keypairs extends KeyRecords {
  /** Active ones, newest first. */
  list(): Promise<readonly Keypair[]>;
  get(id: string): Promise<Keypair | undefined>;
  create(input: {
    key: NewKeypair;
    label: string;
    activeMax: number;
    audit: AuditEntry;
  }): Promise<CreateKeypairOutcome>;
  rotate(input: { id: string; key: NewKeypair; audit: AuditEntry }): Promise<RotateKeypairOutcome>;
  revoke(input: { id: string; isForced: boolean; audit: AuditEntry }): Promise<RevokeOutcome>;
}

const columns = [
  'account_id',
  'id',
  'label',
  'public_key',
  'fingerprint',
  'status',
  'rotated_to_id',
  'created_at_ms',
  'ended_at_ms',
] as const;

export function createKeypairs(context: AccountContext): Keypairs {
  const { runner, accountId } = context;
  return {
    list: () => runner.read((db) => list(db, accountId)),
    get: (id) =>
      runner.read(async (db) =>
        toOptionalRecord(
          await db
            .selectFrom('agent_keypairs')
            .select(columns)
            .where('account_id', '=', accountId)
            .where('id', '=', id)
            .executeTakeFirst(),
        ),
      ),
    sealedOf: (id) => runner.read((db) => readSealed(db, accountId, id)),
    create: ({ key, label, activeMax, audit }) =>
      auditedWrite<CreateKeypairOutcome>(context, audit, async (db) => {
        if ((await countActive(db, accountId)) >= activeMax) {
          return unchanged({ outcome: 'key_limit_reached' });
        }
        const keypair = await insert(db, context, { key, label });
        if (keypair === undefined) return unchanged({ outcome: 'label_exists' });
        return changed({ outcome: 'created', keypair }, key.id);
      }),
    rotate: ({ id, key, audit }) =>
      auditedWrite<RotateKeypairOutcome>(context, audit, (db) => rotate(db, context, { id, key })),
    revoke: ({ id, isForced, audit }) =>
      auditedWrite<RevokeOutcome>(context, audit, async (db) => {
        if (!isForced && (await hasOpenSession(db, accountId, id))) {
          return unchanged('active_sessions_exist');
        }
        const isRevoked = await end(db, context, { id, status: 'revoked' });
        return isRevoked ? changed('revoked', id) : unchanged('not_found');
      }),
    rewrap: ({ id, from, to }) =>
      runner.write(async (db) => {
        const { numUpdatedRows } = await db
          .updateTable('agent_keypairs')
          .set({ private_enc: to })
          .where('account_id', '=', accountId)
          .where('id', '=', id)
          .where('private_enc', '=', from)
          .executeTakeFirst();
        return numUpdatedRows > 0n ? 'rewrapped' : 'not_found';
      }),
  };
}

async function list(db: Database, accountId: string): Promise<readonly Keypair[]> {
  const rows = await db
    .selectFrom('agent_keypairs')
    .select(columns)
    .where('account_id', '=', accountId)
    .where('status', '=', 'active')
    .orderBy('created_at_ms', 'desc')
    .orderBy('id')
    .execute();
  return rows.map(toRecord);
}

async function readSealed(
  db: Database,
  accountId: string,
  id: string,
): Promise<string | undefined> {
  const row = await db
    .selectFrom('agent_keypairs')
    .select('private_enc')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .where('status', '!=', 'revoked')
    .executeTakeFirst();
  return row?.private_enc;
}

async function insert(
  db: Database,
  { accountId, clock }: AccountContext,
  { key, label }: { readonly key: NewKeypair; readonly label: string },
): Promise<Keypair | undefined> {
  const row = await db
    .insertInto('agent_keypairs')
    .values({
      account_id: accountId,
      id: key.id,
      label: checkText('label', label),
      public_key: key.publicKey,
      private_enc: key.privateEnc,
      fingerprint: key.fingerprint,
      status: 'active',
      rotated_to_id: null,
      created_at_ms: clock.wallMs(),
      ended_at_ms: null,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning(columns)
    .executeTakeFirst();
  return toOptionalRecord(row);
}

async function end(
  db: Database,
  { accountId, clock }: AccountContext,
  { id, status }: { readonly id: string; readonly status: KeypairStatus },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('agent_keypairs')
    .set({ status, ended_at_ms: clock.wallMs() })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .where('status', '=', 'active')
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

async function rotate(
  db: Database,
  context: AccountContext,
  { id, key }: { readonly id: string; readonly key: NewKeypair },
): Promise<Change<RotateKeypairOutcome>> {
  const { accountId } = context;
  const old = await db
    .selectFrom('agent_keypairs')
    .select('label')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst();
  if (old === undefined || !(await end(db, context, { id, status: 'rotated' }))) {
    return unchanged({ outcome: 'not_found' });
  }
  const keypair = await insert(db, context, { key, label: old.label });
  if (keypair === undefined) throw new TypeError('a new key needs a new id');
  await db
    .updateTable('agent_keypairs')
    .set({ rotated_to_id: key.id })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .execute();
  const connectionIds = await moveConnections(db, accountId, { from: id, to: key.id });
  return changed({ outcome: 'rotated', keypair, connectionIds }, id);
}

async function countActive(db: Database, accountId: string): Promise<number> {
  const { count } = await db
    .selectFrom('agent_keypairs')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('account_id', '=', accountId)
    .where('status', '=', 'active')
    .executeTakeFirstOrThrow();
  return count;
}

async function hasOpenSession(
  db: Database,
  accountId: string,
  keypairId: string,
): Promise<boolean> {
  const row = await db
    .selectFrom('session_leases as lease')
    .innerJoin('ssh_connections as connection', (join) =>
      join
        .onRef('connection.account_id', '=', 'lease.account_id')
        .onRef('connection.id', '=', 'lease.connection_id'),
    )
    .select('lease.id')
    .where('lease.account_id', '=', accountId)
    .where('connection.keypair_id', '=', keypairId)
    .where('lease.ended_at_ms', 'is', null)
    .executeTakeFirst();
  return row !== undefined;
}

async function moveConnections(
  db: Database,
  accountId: string,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<readonly string[]> {
  const rows = await db
    .updateTable('ssh_connections')
    .set({ keypair_id: to, tested_at_ms: null, test_result: null, test_latency_ms: null })
    .where('account_id', '=', accountId)
    .where('keypair_id', '=', from)
    .where('deleted_at_ms', 'is', null)
    .returning('id')
    .execute();
  return rows.map(({ id }) => id);
}
