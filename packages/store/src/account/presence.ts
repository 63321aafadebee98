/*
 * Whether somebody looks at a device. It is here and not in the memory of a gateway, because another gateway may send the push.
 *
 * What a device says is believed for `visibleMs`. A page that was put to sleep says nothing more, so it is not taken for a person for long.
 */
import type { AccountContext } from '../context.ts';
import { visibleMs } from '../limits.ts';
import { noteNews } from './feed/news-desk.ts';

export interface Presence {
  /** Until when it is believed; `undefined`: nobody looks, or there is no such device. */
  report(input: { deviceId: string; isVisible: boolean }): Promise<number | undefined>;
}

export function createPresence({ runner, accountId, clock }: AccountContext): Presence {
  return {
    report: ({ deviceId, isVisible }) =>
      runner.writeRepeatable(async (db) => {
        const nowMs = clock.wallMs();
        if (isVisible) {
          const device = await db
            .selectFrom('app_sessions')
            .select('id')
            .where('account_id', '=', accountId)
            .where('id', '=', deviceId)
            .where('revoked_at_ms', 'is', null)
            .executeTakeFirst();
          if (device === undefined) return undefined;
          const columns = { visible_until_ms: nowMs + visibleMs };
          await db
            .insertInto('device_presence')
            .values({ account_id: accountId, device_id: deviceId, ...columns })
            .onConflict((conflict) =>
              conflict.columns(['account_id', 'device_id']).doUpdateSet(columns),
            )
            .execute();
          return columns.visible_until_ms;
        }
        const gone = await db
          .deleteFrom('device_presence')
          .where('account_id', '=', accountId)
          .where('device_id', '=', deviceId)
          .executeTakeFirst();
        if (gone.numDeletedRows === 0n) return undefined;
        // What was put off while somebody looked is due.
        const due = await db
          .updateTable('notice_deliveries')
          .set({ due_at_ms: nowMs })
          .where('account_id', '=', accountId)
          .where('device_id', '=', deviceId)
          .where('settled_at_ms', 'is', null)
          .where('state', '=', 'pending')
          .where('attempts', '=', 0)
          .executeTakeFirst();
        if (due.numUpdatedRows > 0n) noteNews(db, accountId);
        return undefined;
      }),
  };
}
