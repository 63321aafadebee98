/*
 * Notices of all accounts on their way to channels outside: which are to be told where, who is telling one now, and how it ended.
 *
 * ND1 A notice is planned once, in one transaction with its deliveries. So no channel is given it twice, whichever gateway plans.
 * ND2 A delivery is taken before it is begun. Taking it raises its number of attempts, and how it ended is written only by who holds that
 *     number: a gateway that was frozen meanwhile changes nothing.
 * ND3 What was resolved before it was told is not told.
 * ND4 A gateway that dies with a delivery in hand leaves it to its own successor at once, and to others when its time is over. Whether the other
 *     side has it is then not known: it is told again, under the same id.
 */
import { sql } from 'kysely';
import type { AccountId, QueryContext } from '../context.ts';
import type { Database } from '../engine.ts';
import { type Json, parseJson } from '../schema/json-text.ts';
import type { NoticeClass, NoticeDeliveriesTable } from '../schema/feed-tables.ts';
import { toRecord } from '../schema/record.ts';
import { parseAccountId } from './accounts.ts';

export interface Sender {
  readonly instanceId: string;
  readonly generation: number;
}

export interface PlanInput {
  readonly channels: readonly string[];
  /** What is older is not told any more. */
  readonly ageMsMax: number;
  readonly limit: number;
}

export interface TakeInput {
  readonly channels: readonly string[];
  readonly sender: Sender;
  /** How long it is ours. */
  readonly holdMs: number;
  /** None is put off for longer: what is, was written under another clock. */
  readonly pauseMsMax: number;
  readonly limit: number;
}

export interface TakenDelivery {
  readonly accountId: AccountId;
  readonly noticeId: string;
  readonly channel: string;
  /** 1 for the first. */
  readonly attempt: number;
  readonly class: NoticeClass;
  readonly threadId?: string | undefined;
  readonly threadTitle?: string | undefined;
  readonly subjectId: string;
  readonly detail: { readonly [key: string]: Json | undefined };
  readonly createdAtMs: number;
  /** Open notices of the account that need somebody: all but those of what is done. */
  readonly openCount: number;
}

export type DeliveryEnd =
  | { readonly state: 'sent' }
  | { readonly state: 'failed'; readonly reason: string }
  /** It is tried again. */
  | { readonly state: 'pending'; readonly reason: string; readonly pauseMs: number };

export interface NoticeQueue {
  /** Open ones whose key begins like this. */
  openWithKey(prefix: string): Promise<readonly { accountId: AccountId; key: string }[]>;
  /** How many were planned. */
  plan(input: PlanInput): Promise<number>;
  take(input: TakeInput): Promise<readonly TakenDelivery[]>;
  /** False: it is not ours any more (ND2). */
  settle(
    delivery: Pick<TakenDelivery, 'accountId' | 'noticeId' | 'channel' | 'attempt'>,
    end: DeliveryEnd,
  ): Promise<boolean>;
  /** Whether there is anything to plan or to send, now or later. It only reads. */
  isWaiting(): Promise<boolean>;
}

export function createNoticeQueue({ runner, clock }: QueryContext): NoticeQueue {
  return {
    openWithKey: (prefix) =>
      runner.read(async (db) => {
        const rows = await db
          .selectFrom('notices')
          .select(['account_id', 'key'])
          .where('resolved_at_ms', 'is', null)
          .where(sql`substr(key, 1, ${prefix.length})`, '=', prefix)
          .execute();
        return rows.map(({ account_id, key }) => ({ accountId: parseAccountId(account_id), key }));
      }),
    plan: (input) => runner.writeRepeatable((db) => plan(db, clock.wallMs(), input)),
    take: (input) => runner.write((db) => take(db, clock.wallMs(), input)),
    settle: ({ accountId, noticeId, channel, attempt }, end) => {
      const nowMs = clock.wallMs();
      const isOver = end.state !== 'pending';
      return runner.writeRepeatable(async (db) => {
        const { numUpdatedRows } = await db
          .updateTable('notice_deliveries')
          .set({
            state: end.state,
            reason: end.state === 'sent' ? null : end.reason,
            due_at_ms: isOver ? nowMs : nowMs + end.pauseMs,
            settled_at_ms: isOver ? nowMs : null,
          })
          .where('account_id', '=', accountId)
          .where('notice_id', '=', noticeId)
          .where('channel', '=', channel)
          .where('attempts', '=', attempt)
          .where('state', '=', 'sending')
          .executeTakeFirst();
        return numUpdatedRows === 1n;
      });
    },
    isWaiting: () =>
      runner.read(async (db) => {
        const unplanned = await db
          .selectFrom('notices')
          .select('id')
          .where('planned_at_ms', 'is', null)
          .limit(1)
          .executeTakeFirst();
        if (unplanned !== undefined) return true;
        const unsettled = await db
          .selectFrom('notice_deliveries')
          .select('notice_id')
          .where('settled_at_ms', 'is', null)
          .limit(1)
          .executeTakeFirst();
        return unsettled !== undefined;
      }),
  };
}

/** ND1. Channels of the settings file are those of whoever runs the machine: only the owner's notices go there. */
async function plan(
  db: Database,
  nowMs: number,
  { channels, ageMsMax, limit }: PlanInput,
): Promise<number> {
  const rows = await db
    .selectFrom('notices')
    .innerJoin('accounts', 'accounts.id', 'notices.account_id')
    .leftJoin('settings', 'settings.account_id', 'notices.account_id')
    .select([
      'notices.account_id',
      'notices.id',
      'notices.class',
      'notices.created_at_ms',
      'notices.resolved_at_ms',
      'accounts.kind',
      'settings.notifications_json',
    ])
    .where('notices.planned_at_ms', 'is', null)
    .orderBy('notices.created_at_ms')
    .limit(limit)
    .execute();
  for (const row of rows) {
    await db
      .updateTable('notices')
      .set({ planned_at_ms: nowMs })
      .where('account_id', '=', row.account_id)
      .where('id', '=', row.id)
      .execute();
    if (row.kind !== 'owner' || channels.length === 0) continue;
    const chosen = row.notifications_json === null ? {} : parseJson(row.notifications_json);
    const reason = whyNot({
      isOff: chosen[row.class] === false,
      isResolved: row.resolved_at_ms !== null,
      isOld: nowMs - row.created_at_ms > ageMsMax,
    });
    const deliveries = channels.map((channel) => ({
      account_id: row.account_id,
      notice_id: row.id,
      channel,
      state: reason === undefined ? ('pending' as const) : ('skipped' as const),
      attempts: 0,
      due_at_ms: nowMs,
      sender_id: null,
      sender_generation: null,
      reason: reason ?? null,
      settled_at_ms: reason === undefined ? null : nowMs,
    }));
    await db.insertInto('notice_deliveries').values(deliveries).execute();
  }
  return rows.length;
}

function whyNot(facts: {
  readonly isOff: boolean;
  readonly isResolved: boolean;
  readonly isOld: boolean;
}): string | undefined {
  if (facts.isOff) return 'off';
  if (facts.isResolved) return 'resolved';
  return facts.isOld ? 'old' : undefined;
}

async function take(
  db: Database,
  nowMs: number,
  input: TakeInput,
): Promise<readonly TakenDelivery[]> {
  const { sender, holdMs } = input;
  const taken: TakenDelivery[] = [];
  const openCounts = new Map<string, number>();
  for (const row of await selectDue(db, nowMs, input)) {
    const { resolvedAtMs, attempts, accountId: account, ...delivery } = toRecord(row);
    // ND3
    if (resolvedAtMs !== undefined) {
      await change(db, row, { state: 'skipped', reason: 'resolved', settled_at_ms: nowMs });
      continue;
    }
    // ND2
    const attempt = attempts + 1;
    await change(db, row, {
      state: 'sending',
      attempts: attempt,
      due_at_ms: nowMs + holdMs,
      sender_id: sender.instanceId,
      sender_generation: sender.generation,
    });
    const openCount = openCounts.get(account) ?? (await countOpen(db, account));
    openCounts.set(account, openCount);
    taken.push({ ...delivery, accountId: parseAccountId(account), attempt, openCount });
  }
  return taken;
}

function selectDue(
  db: Database,
  nowMs: number,
  { channels, sender, holdMs, pauseMsMax, limit }: TakeInput,
) {
  return db
    .selectFrom('notice_deliveries as delivery')
    .innerJoin('notices as notice', (join) =>
      join
        .onRef('notice.account_id', '=', 'delivery.account_id')
        .onRef('notice.id', '=', 'delivery.notice_id'),
    )
    .leftJoin('threads', (join) =>
      join
        .onRef('threads.account_id', '=', 'notice.account_id')
        .onRef('threads.id', '=', 'notice.thread_id'),
    )
    .select([
      'delivery.account_id',
      'delivery.notice_id',
      'delivery.channel',
      'delivery.attempts',
      'notice.class',
      'notice.thread_id',
      'notice.subject_id',
      'notice.detail_json',
      'notice.created_at_ms',
      'notice.resolved_at_ms',
      'threads.title as thread_title',
    ])
    .where('delivery.settled_at_ms', 'is', null)
    .where('delivery.channel', 'in', channels)
    .where((eb) =>
      eb.or([
        eb('delivery.due_at_ms', '<=', nowMs),
        eb('delivery.due_at_ms', '>', nowMs + Math.max(pauseMsMax, holdMs)),
        // ND4
        eb.and([
          eb('delivery.state', '=', 'sending'),
          eb('delivery.sender_id', '=', sender.instanceId),
          eb('delivery.sender_generation', '<', sender.generation),
        ]),
      ]),
    )
    .orderBy('delivery.due_at_ms')
    .limit(limit)
    .execute();
}

async function change(
  db: Database,
  row: Pick<NoticeDeliveriesTable, 'account_id' | 'notice_id' | 'channel'>,
  columns: Partial<NoticeDeliveriesTable>,
): Promise<void> {
  await db
    .updateTable('notice_deliveries')
    .set(columns)
    .where('account_id', '=', row.account_id)
    .where('notice_id', '=', row.notice_id)
    .where('channel', '=', row.channel)
    .execute();
}

async function countOpen(db: Database, accountId: string): Promise<number> {
  const { count } = await db
    .selectFrom('notices')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('account_id', '=', accountId)
    .where('resolved_at_ms', 'is', null)
    .where('class', '!=', 'done')
    .executeTakeFirstOrThrow();
  return count;
}
