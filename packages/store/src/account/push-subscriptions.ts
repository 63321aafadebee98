/*
 * Where to push notifications to. A browser that subscribes again has the same endpoint: one row.
 */
import { type AuditEntry, auditedWrite, changed, unchanged } from '../audit.ts';
import type { AccountContext } from '../context.ts';
import { checkText } from '../schema/json-text.ts';
import { type RecordOf, toRecord } from '../schema/record.ts';
import type { PushSubscriptionsTable } from '../schema/tables.ts';

export type PushSubscription = RecordOf<PushSubscriptionsTable>;

export interface PushSubscriptions {
  list(): Promise<readonly PushSubscription[]>;
  save(input: {
    endpoint: string;
    p256dh: string;
    auth: string;
    device: string;
    audit: AuditEntry;
  }): Promise<PushSubscription>;
  remove(input: { id: string; audit: AuditEntry }): Promise<'removed' | 'not_found'>;
  /** The push service said that it is gone for now; saving it again clears this. */
  markFailed(id: string): Promise<'marked' | 'not_found'>;
}

export function createPushSubscriptions(context: AccountContext): PushSubscriptions {
  const { runner, accountId, clock, random } = context;
  return {
    list: () =>
      runner.read(async (db) => {
        const rows = await db
          .selectFrom('push_subscriptions')
          .selectAll()
          .where('account_id', '=', accountId)
          .orderBy('created_at_ms', 'desc')
          .orderBy('id')
          .execute();
        return rows.map(toRecord);
      }),
    save: ({ endpoint, p256dh, auth, device, audit }) =>
      auditedWrite(context, audit, async (db) => {
        const keys = { p256dh, auth, device: checkText('device', device), failed_at_ms: null };
        const row = await db
          .insertInto('push_subscriptions')
          .values({
            account_id: accountId,
            id: random.id(),
            endpoint: checkText('endpoint', endpoint),
            created_at_ms: clock.wallMs(),
            ...keys,
          })
          .onConflict((conflict) => conflict.columns(['account_id', 'endpoint']).doUpdateSet(keys))
          .returningAll()
          .executeTakeFirstOrThrow();
        return changed(toRecord(row), row.id);
      }),
    remove: ({ id, audit }) =>
      auditedWrite<'removed' | 'not_found'>(context, audit, async (db) => {
        const { numDeletedRows } = await db
          .deleteFrom('push_subscriptions')
          .where('account_id', '=', accountId)
          .where('id', '=', id)
          .executeTakeFirst();
        return numDeletedRows > 0n ? changed('removed', id) : unchanged('not_found');
      }),
    markFailed: (id) =>
      runner.write(async (db) => {
        const { numUpdatedRows } = await db
          .updateTable('push_subscriptions')
          .set({ failed_at_ms: clock.wallMs() })
          .where('account_id', '=', accountId)
          .where('id', '=', id)
          .executeTakeFirst();
        return numUpdatedRows > 0n ? 'marked' : 'not_found';
      }),
  };
}
