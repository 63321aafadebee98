/*
 * What whoever sends pushes needs: the key of this database, where a device is, and how the last push to it went.
 *
 * PU3 There is one key that is not retired. Gateways that make the first one at the same moment agree on one of theirs.
 */
import type { AccountId, QueryContext } from '../context.ts';
import type { Database } from '../engine.ts';
import type { PushKeysTable } from '../schema/push-tables.ts';
import { type RecordOf, toOptionalRecord, toRecord } from '../schema/record.ts';
import type { PushSubscription } from '../account/push.ts';

export type PushKey = Omit<RecordOf<PushKeysTable>, 'retiredAtMs'>;

export interface PushDevice {
  readonly accountId: AccountId;
  readonly deviceId: string;
}

/** A subscription, and not a later one of the same device. */
export type PushTarget = PushDevice & Pick<PushSubscription, 'id'>;

export interface PushQueries {
  key(): Promise<PushKey | undefined>;
  /** Kept, unless there is one already, which is returned; one that cannot be opened is named in `replaces`. PU3 */
  keepKey(input: {
    key: Pick<PushKey, 'id' | 'publicKey' | 'privateEnc'>;
    replaces?: string | undefined;
  }): Promise<PushKey>;
  /** The same secret in a new envelope, if it is still the old one. */
  rewrapKey(input: { id: string; from: string; to: string }): Promise<void>;
  /** Of a device that can still be used. */
  subscriptionOf(device: PushDevice): Promise<PushSubscription | undefined>;
  noteSent(target: PushTarget): Promise<void>;
  noteFailure(target: PushTarget & { readonly reason: string }): Promise<void>;
  /** The browser is gone. */
  forget(target: PushTarget): Promise<void>;
}

const keyColumns = ['id', 'public_key', 'private_enc', 'made_at_ms'] as const;

export function createPushQueries(context: QueryContext): PushQueries {
  return { ...createKeyQueries(context), ...createTargetQueries(context) };
}

type KeyNames = 'key' | 'keepKey' | 'rewrapKey';

function createKeyQueries({ runner, clock }: QueryContext): Pick<PushQueries, KeyNames> {
  const current = (db: Database) =>
    db
      .selectFrom('push_keys')
      .select(keyColumns)
      .where('retired_at_ms', 'is', null)
      .executeTakeFirst();
  return {
    key: () => runner.read(async (db) => toOptionalRecord(await current(db))),
    keepKey: ({ key, replaces }) =>
      runner.writeRepeatable(async (db) => {
        const before = await current(db);
        if (before !== undefined && before.id !== replaces) return toRecord(before);
        const nowMs = clock.wallMs();
        if (before !== undefined) {
          await db
            .updateTable('push_keys')
            .set({ retired_at_ms: nowMs })
            .where('id', '=', before.id)
            .execute();
        }
        const row = await db
          .insertInto('push_keys')
          .values({
            id: key.id,
            public_key: key.publicKey,
            private_enc: key.privateEnc,
            made_at_ms: nowMs,
            retired_at_ms: null,
          })
          .returning(keyColumns)
          .executeTakeFirstOrThrow();
        return toRecord(row);
      }),
    rewrapKey: ({ id, from, to }) =>
      runner.writeRepeatable(async (db) => {
        await db
          .updateTable('push_keys')
          .set({ private_enc: to })
          .where('id', '=', id)
          .where('private_enc', '=', from)
          .execute();
      }),
  };
}

function createTargetQueries({ runner, clock }: QueryContext): Omit<PushQueries, KeyNames> {
  const change = (
    { accountId, deviceId, id }: PushTarget,
    columns: { sent_at_ms?: number; failure: string | null; failed_at_ms: number | null },
  ): Promise<void> =>
    runner.writeRepeatable(async (db) => {
      await db
        .updateTable('push_subscriptions')
        .set(columns)
        .where('account_id', '=', accountId)
        .where('device_id', '=', deviceId)
        .where('id', '=', id)
        .execute();
    });
  return {
    subscriptionOf: (device) =>
      runner.read(async (db) =>
        toOptionalRecord(await selectSubscription(db, device, clock.wallMs())),
      ),
    noteSent: (target) =>
      change(target, { sent_at_ms: clock.wallMs(), failure: null, failed_at_ms: null }),
    noteFailure: ({ reason, ...target }) =>
      change(target, { failure: reason, failed_at_ms: clock.wallMs() }),
    forget: ({ accountId, deviceId, id }) =>
      runner.writeRepeatable(async (db) => {
        await db
          .deleteFrom('push_subscriptions')
          .where('account_id', '=', accountId)
          .where('device_id', '=', deviceId)
          .where('id', '=', id)
          .execute();
      }),
  };
}

function selectSubscription(db: Database, { accountId, deviceId }: PushDevice, nowMs: number) {
  return db
    .selectFrom('push_subscriptions')
    .innerJoin('app_sessions', (join) =>
      join
        .onRef('app_sessions.account_id', '=', 'push_subscriptions.account_id')
        .onRef('app_sessions.id', '=', 'push_subscriptions.device_id'),
    )
    .innerJoin('accounts', 'accounts.id', 'push_subscriptions.account_id')
    .selectAll('push_subscriptions')
    .where('push_subscriptions.account_id', '=', accountId)
    .where('push_subscriptions.device_id', '=', deviceId)
    .where('app_sessions.revoked_at_ms', 'is', null)
    .where('app_sessions.expires_at_ms', '>', nowMs)
    .where('accounts.disabled_at_ms', 'is', null)
    .executeTakeFirst();
}
