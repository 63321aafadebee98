/*
 * Which devices of an account get pushes, of what, and whether the last one arrived.
 *
 * PU1 A subscription ends in the transaction that ends its device (devices.ts).
 * PU2 An address is a browser. Who signs in there and subscribes takes it over, from another account, too: the person before is not told
 *     on a screen that is no longer theirs.
 */
import { type AuditEntry, auditedWrite, changed, unchanged } from '../audit.ts';
import type { AccountContext } from '../context.ts';
import type { Database } from '../engine.ts';
import { subscriptionsMax } from '../limits.ts';
import { checkText, formatJson } from '../schema/json-text.ts';
import type { PushClasses, PushSubscriptionsTable } from '../schema/push-tables.ts';
import { type RecordOf, toOptionalRecord, toRecord } from '../schema/record.ts';

export type PushSubscription = RecordOf<PushSubscriptionsTable>;

export interface NewSubscription {
  readonly deviceId: string;
  readonly keyId: string;
  readonly endpoint: string;
  readonly p256dh: string;
  readonly auth: string;
  /** Those that are named change; of the others, as before. */
  readonly classes: Partial<PushClasses>;
  /** For a device that had none. */
  readonly usualClasses: PushClasses;
  readonly audit: AuditEntry;
}

export interface PushSubscriptions {
  /** Of devices that can still be used. */
  list(): Promise<readonly PushSubscription[]>;
  get(deviceId: string): Promise<PushSubscription | undefined>;
  /** Takes the place of the device's earlier one. `undefined`: there is no such device, or it has ended. */
  put(input: NewSubscription): Promise<PushSubscription | undefined>;
  choose(input: {
    deviceId: string;
    classes: Partial<PushClasses>;
    audit: AuditEntry;
  }): Promise<PushSubscription | undefined>;
  remove(input: { deviceId: string; audit: AuditEntry }): Promise<'removed' | 'not_found'>;
}

export function createPushSubscriptions(context: AccountContext): PushSubscriptions {
  const { runner, accountId } = context;
  return {
    list: () =>
      runner.read(async (db) => {
        const rows = await selectGood(context, db).execute();
        return rows.map(toRecord);
      }),
    get: (deviceId) =>
      runner.read(async (db) => toOptionalRecord(await find(context, db, deviceId))),
    put: ({ audit, ...input }) =>
      auditedWrite<PushSubscription | undefined>(context, audit, (db) => put(context, db, input)),
    choose: ({ deviceId, classes, audit }) =>
      auditedWrite<PushSubscription | undefined>(context, audit, async (db) => {
        const before = toOptionalRecord(await find(context, db, deviceId));
        if (before === undefined) return unchanged(undefined);
        const chosen = { ...before.classes, ...classes };
        const row = await db
          .updateTable('push_subscriptions')
          .set({ classes_json: formatJson(chosen) })
          .where('account_id', '=', accountId)
          .where('device_id', '=', deviceId)
          .returningAll()
          .executeTakeFirstOrThrow();
        return changed(toRecord(row), deviceId);
      }),
    remove: ({ deviceId, audit }) =>
      auditedWrite<'removed' | 'not_found'>(context, audit, async (db) => {
        const gone = await db
          .deleteFrom('push_subscriptions')
          .where('account_id', '=', accountId)
          .where('device_id', '=', deviceId)
          .executeTakeFirst();
        return gone.numDeletedRows === 1n ? changed('removed', deviceId) : unchanged('not_found');
      }),
  };
}

async function put(context: AccountContext, db: Database, input: Omit<NewSubscription, 'audit'>) {
  const { accountId, clock, random } = context;
  const { deviceId, keyId, endpoint, p256dh, auth, classes, usualClasses } = input;
  if (!(await isGoodDevice(context, db, deviceId))) return unchanged(undefined);
  const before = toOptionalRecord(await find(context, db, deviceId));
  const chosen = { ...(before?.classes ?? usualClasses), ...classes };
  const isSame =
    before?.endpoint === endpoint &&
    before.p256dh === p256dh &&
    before.auth === auth &&
    before.keyId === keyId &&
    formatJson(before.classes) === formatJson(chosen);
  if (isSame) return unchanged(before);
  // PU2
  await db.deleteFrom('push_subscriptions').where('endpoint', '=', endpoint).execute();
  const columns = {
    id: random.id(),
    key_id: checkText('keyId', keyId),
    endpoint: checkText('endpoint', endpoint),
    p256dh: checkText('p256dh', p256dh),
    auth: checkText('auth', auth),
    classes_json: formatJson(chosen),
    created_at_ms: clock.wallMs(),
    sent_at_ms: null,
    failure: null,
    failed_at_ms: null,
  };
  const row = await db
    .insertInto('push_subscriptions')
    .values({ account_id: accountId, device_id: deviceId, ...columns })
    .onConflict((conflict) => conflict.columns(['account_id', 'device_id']).doUpdateSet(columns))
    .returningAll()
    .executeTakeFirstOrThrow();
  await prune(context, db);
  return changed(toRecord(row), deviceId);
}

async function prune({ accountId }: AccountContext, db: Database): Promise<void> {
  const extra = await db
    .selectFrom('push_subscriptions')
    .select('device_id')
    .where('account_id', '=', accountId)
    .orderBy('created_at_ms', 'desc')
    .orderBy('device_id')
    .limit(1)
    .offset(subscriptionsMax)
    .executeTakeFirst();
  if (extra === undefined) return;
  await db
    .deleteFrom('push_subscriptions')
    .where('account_id', '=', accountId)
    .where('device_id', '=', extra.device_id)
    .execute();
}

async function isGoodDevice(
  { accountId, clock }: AccountContext,
  db: Database,
  deviceId: string,
): Promise<boolean> {
  const row = await db
    .selectFrom('app_sessions')
    .select('id')
    .where('account_id', '=', accountId)
    .where('id', '=', deviceId)
    .where('revoked_at_ms', 'is', null)
    .where('expires_at_ms', '>', clock.wallMs())
    .executeTakeFirst();
  return row !== undefined;
}

function find({ accountId }: AccountContext, db: Database, deviceId: string) {
  return db
    .selectFrom('push_subscriptions')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('device_id', '=', deviceId)
    .executeTakeFirst();
}

function selectGood({ accountId, clock }: AccountContext, db: Database) {
  return db
    .selectFrom('push_subscriptions')
    .innerJoin('app_sessions', (join) =>
      join
        .onRef('app_sessions.account_id', '=', 'push_subscriptions.account_id')
        .onRef('app_sessions.id', '=', 'push_subscriptions.device_id'),
    )
    .selectAll('push_subscriptions')
    .where('push_subscriptions.account_id', '=', accountId)
    .where('app_sessions.revoked_at_ms', 'is', null)
    .where('app_sessions.expires_at_ms', '>', clock.wallMs());
}

/** PU1. */
export async function endPush(
  db: Database,
  { accountId }: AccountContext,
  deviceIds: readonly string[],
): Promise<void> {
  if (deviceIds.length === 0) return;
  for (const table of ['push_subscriptions', 'device_presence'] as const) {
    await db
      .deleteFrom(table)
      .where('account_id', '=', accountId)
      .where('device_id', 'in', [...deviceIds])
      .execute();
  }
}

/**
 * A device that signs in again is the same browser, and what it has still to be told goes along. Such a delivery keeps its name: it is the same
 * push, and who has it in hand can settle it.
 */
export async function movePush(
  db: Database,
  { accountId }: AccountContext,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<void> {
  const columns = { device_id: to };
  await db
    .updateTable('push_subscriptions')
    .set(columns)
    .where('account_id', '=', accountId)
    .where('device_id', '=', from)
    .execute();
  await db
    .updateTable('notice_deliveries')
    .set(columns)
    .where('account_id', '=', accountId)
    .where('device_id', '=', from)
    .where('settled_at_ms', 'is', null)
    .execute();
}
