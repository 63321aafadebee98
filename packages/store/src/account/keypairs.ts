/*
 * SSH keys. The private half is an envelope that only `ssh` can open; it leaves through `sealedOf` and nowhere else.
 *
 * Rotation: the new key takes over the label. Connections get it beside their present one, which stays usable until the new one is
 * proven there (connection-keys.ts). A rotated key that no connection needs any more is revoked by itself. One whose successor is
 * revoked before that is active again: the rotation was taken back.
 */
import type { KeyRecords, NewKeypair, NextConnectionKeys, RevokeOutcome } from '@clawdfather/ssh';
import type { ExpressionBuilder } from 'kysely';
import { type AuditEntry, auditedWrite, type Change, changed, unchanged } from '../audit.ts';
import type { AccountContext } from '../context.ts';
import type { Database } from '../engine.ts';
import { checkText } from '../schema/json-text.ts';
import { type RecordOf, toOptionalRecord, toRecord } from '../schema/record.ts';
import type { AgentKeypairsTable, Tables } from '../schema/tables.ts';
import { changeKeys, retireUnused } from './connection-keys.ts';

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
  /** Active ones, and rotated ones that a connection still needs; newest first. */
  list(): Promise<readonly Keypair[]>;
  get(id: string): Promise<Keypair | undefined>;
  create(input: {
    key: NewKeypair;
    label: string;
    activeMax: number;
    audit: AuditEntry;
  }): Promise<CreateKeypairOutcome>;
  /** With the ids of the connections on which the new key is to be proven. */
  rotate(input: {
    id: string;
    key: NewKeypair;
    nextKeys: NextConnectionKeys;
    audit: AuditEntry;
  }): Promise<RotateKeypairOutcome>;
  revoke(input: {
    id: string;
    isForced: boolean;
    nextKeys: NextConnectionKeys;
    audit: AuditEntry;
  }): Promise<RevokeOutcome>;
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
    rotate: ({ audit, ...input }) =>
      auditedWrite<RotateKeypairOutcome>(context, audit, (db) => rotate(db, context, input)),
    revoke: ({ audit, ...input }) =>
      auditedWrite<RevokeOutcome>(context, audit, (db) => revoke(db, context, input)),
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
    .where((eb) => eb.or([eb('status', '=', 'active'), eb('id', 'in', idsInUse(eb, accountId))]))
    .where('status', '!=', 'revoked')
    .orderBy('created_at_ms', 'desc')
    .orderBy('id')
    .execute();
  return rows.map(toRecord);
}

/** The present keys of connections. */
function idsInUse(eb: ExpressionBuilder<Tables, 'agent_keypairs'>, accountId: string) {
  return eb
    .selectFrom('ssh_connections')
    .select('keypair_id')
    .where('account_id', '=', accountId)
    .where('deleted_at_ms', 'is', null);
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

async function rotate(
  db: Database,
  context: AccountContext,
  input: {
    readonly id: string;
    readonly key: NewKeypair;
    readonly nextKeys: NextConnectionKeys;
  },
): Promise<Change<RotateKeypairOutcome>> {
  const { accountId, clock } = context;
  const { id, key, nextKeys } = input;
  const old = await db
    .updateTable('agent_keypairs')
    .set({ status: 'rotated', rotated_to_id: key.id, ended_at_ms: clock.wallMs() })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .where('status', '=', 'active')
    .returning('label')
    .executeTakeFirst();
  if (old === undefined) return unchanged({ outcome: 'not_found' });
  const keypair = await insert(db, context, { key, label: old.label });
  if (keypair === undefined) throw new TypeError('a new key needs a new id');
  // Those that were being replaced by the old one are now being replaced by the new one.
  await db
    .updateTable('agent_keypairs')
    .set({ rotated_to_id: key.id })
    .where('account_id', '=', accountId)
    .where('rotated_to_id', '=', id)
    .where('status', '=', 'rotated')
    .execute();
  const event = { type: 'rotated', from: id, to: key.id } as const;
  const connectionIds = await changeKeys(db, accountId, { keypairId: id, event, nextKeys });
  await retireUnused(db, context);
  return changed({ outcome: 'rotated', keypair, connectionIds }, id);
}

async function revoke(
  db: Database,
  context: AccountContext,
  input: {
    readonly id: string;
    readonly isForced: boolean;
    readonly nextKeys: NextConnectionKeys;
  },
): Promise<Change<RevokeOutcome>> {
  const { accountId, clock } = context;
  const { id, isForced, nextKeys } = input;
  if (!isForced && (await hasOpenSession(db, accountId, id))) {
    return unchanged('active_sessions_exist');
  }
  const { numUpdatedRows } = await db
    .updateTable('agent_keypairs')
    .set({ status: 'revoked', ended_at_ms: clock.wallMs() })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .where('status', '!=', 'revoked')
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return unchanged('not_found');
  const event = { type: 'revoked', keypairId: id } as const;
  await changeKeys(db, accountId, { keypairId: id, event, nextKeys });
  await retireUnused(db, context);
  await takeBack(db, accountId, id);
  return changed('revoked', id);
}

/** The newest key that was to be replaced by the revoked one, if a connection still needs it. Its label is free again. */
async function takeBack(db: Database, accountId: string, revokedId: string): Promise<void> {
  const before = await db
    .selectFrom('agent_keypairs')
    .select('id')
    .where('account_id', '=', accountId)
    .where('rotated_to_id', '=', revokedId)
    .where('status', '=', 'rotated')
    .orderBy('created_at_ms', 'desc')
    .orderBy('id')
    .executeTakeFirst();
  if (before === undefined) return;
  await db
    .updateTable('agent_keypairs')
    .set({ status: 'active', rotated_to_id: null, ended_at_ms: null })
    .where('account_id', '=', accountId)
    .where('id', '=', before.id)
    .execute();
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
