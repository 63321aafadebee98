/*
 * The notices of an account: what a person is told of, whether it still wants something, and on which channels it was told.
 */
import { type AccountContext, type AccountId, limitOf } from '../../context.ts';
import type { DeliveryState, NoticeClass, NoticesTable } from '../../schema/feed-tables.ts';
import { type RecordOf, toOptionalRecord, toRecord } from '../../schema/record.ts';
import { createSelect } from '../../select.ts';
import { type AccountNews, writeNews } from './news.ts';

export type Notice = Omit<RecordOf<NoticesTable>, 'accountId' | 'key' | 'plannedAtMs'>;

export interface NoticeDelivery {
  readonly channel: string;
  /** Of a push. */
  readonly deviceId?: string | undefined;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly reason?: string | undefined;
  readonly settledAtMs?: number | undefined;
}

export type ToldNotice = Notice & { readonly deliveries: readonly NoticeDelivery[] };

export interface NoticeQuery {
  /** Only those that still want something. */
  readonly isOpen?: boolean;
  /** Before this one, as the page before ended. */
  readonly before?: Pick<Notice, 'id' | 'createdAtMs'>;
  readonly limit?: number;
}

export interface Notices {
  /** Newest first. */
  list(query?: NoticeQuery): Promise<{ items: readonly ToldNotice[]; hasMore: boolean }>;
  get(id: string): Promise<ToldNotice | undefined>;
  /** What only wanted to be seen wants nothing more; what wants an answer goes on to want it. */
  see(id: string): Promise<'seen' | 'not_found'>;
  /** For what is stored elsewhere. */
  tell(news: AccountNews): Promise<void>;
}

/** A person looks, and that is all. */
const toBeSeen: readonly NoticeClass[] = ['done', 'failed', 'host_lost'];

export function createNotices(context: AccountContext): Notices {
  const { runner, accountId, clock } = context;
  const withDeliveries = async (rows: readonly NoticeRow[]): Promise<readonly ToldNotice[]> => {
    if (rows.length === 0) return [];
    const deliveries = await runner.read((db) =>
      db
        .selectFrom('notice_deliveries')
        .select(deliveryColumns)
        .where('account_id', '=', accountId)
        .where(
          'notice_id',
          'in',
          rows.map(({ id }) => id),
        )
        .orderBy('channel')
        .execute(),
    );
    return rows.map((row) => ({
      ...toRecord(row),
      deliveries: deliveries
        .filter(({ notice_id }) => notice_id === row.id)
        .map(({ notice_id: _notice, ...delivery }) => toRecord(delivery)),
    }));
  };
  return {
    list: async ({ isOpen = false, before, limit } = {}) => {
      const count = limitOf({ limit });
      const rows = await runner.select(selectNotices, {
        accountId,
        open: isOpen ? 1 : undefined,
        beforeMs: before?.createdAtMs,
        beforeId: before?.id,
        limit: count + 1,
      });
      const items = await withDeliveries(rows.slice(0, count));
      return { items, hasMore: rows.length > count };
    },
    get: async (id) => {
      const rows = await runner.select(selectNotice, { accountId, id });
      return (await withDeliveries(rows))[0];
    },
    see: (id) =>
      runner.writeRepeatable(async (db) => {
        const row = await db
          .selectFrom('notices')
          .select(['key', 'class'])
          .where('account_id', '=', accountId)
          .where('id', '=', id)
          .executeTakeFirst();
        const notice = toOptionalRecord(row);
        if (notice === undefined) return 'not_found';
        await db
          .updateTable('notices')
          .set({ seen_at_ms: clock.wallMs() })
          .where('account_id', '=', accountId)
          .where('id', '=', id)
          .where('seen_at_ms', 'is', null)
          .execute();
        if (toBeSeen.includes(notice.class)) {
          await writeNews(db, context, { resolves: [{ as: 'seen', key: notice.key }] });
        }
        return 'seen';
      }),
    tell: (news) => runner.writeRepeatable((db) => writeNews(db, context, news)),
  };
}

const deliveryColumns = [
  'notice_id',
  'channel',
  'device_id',
  'state',
  'attempts',
  'reason',
  'settled_at_ms',
] as const;

const columns = [
  'id',
  'class',
  'thread_id',
  'thread_seq',
  'subject_id',
  'detail_json',
  'created_at_ms',
  'seen_at_ms',
  'resolved_at_ms',
  'resolution',
] as const;

type NoticeRow = Pick<NoticesTable, (typeof columns)[number]>;

interface NoticesWanted {
  readonly accountId: AccountId;
  readonly open: number | undefined;
  readonly beforeMs: number | undefined;
  readonly beforeId: string | undefined;
  readonly limit: number;
}

export const selectNotices = createSelect((db, wanted: NoticesWanted) => {
  const { accountId, open, beforeMs, beforeId, limit } = wanted;
  let query = db.selectFrom('notices').select(columns).where('account_id', '=', accountId);
  if (open !== undefined) query = query.where('resolved_at_ms', 'is', null);
  if (beforeMs !== undefined && beforeId !== undefined) {
    query = query.where((eb) =>
      eb.or([
        eb('created_at_ms', '<', beforeMs),
        eb.and([eb('created_at_ms', '=', beforeMs), eb('id', '<', beforeId)]),
      ]),
    );
  }
  return query.orderBy('created_at_ms', 'desc').orderBy('id', 'desc').limit(limit);
});

const selectNotice = createSelect(
  (db, { accountId, id }: { readonly accountId: AccountId; readonly id: string }) =>
    db
      .selectFrom('notices')
      .select(columns)
      .where('account_id', '=', accountId)
      .where('id', '=', id),
);
