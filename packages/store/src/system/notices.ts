/*
 * Notices of all accounts on their way to channels outside: which are to be told where (notice-plan.ts), who is telling one now, and how it
 * ended.
 *
 * ND1 A notice is planned once, in one transaction with its deliveries. So no channel is given it twice, whichever gateway plans.
 * ND2 A delivery is taken before it is begun. Taking it raises its number of attempts, and how it ended is written only by who holds that
 *     number: a gateway that was frozen meanwhile changes nothing.
 * ND3 What was resolved before it was told is not told.
 * ND4 A gateway that dies with a delivery in hand leaves it to its own successor at once, and to others when its time is over. Whether the other
 *     side has it is then not known: it is told again, under the same id.
 * ND5 A device that somebody looks at gets no push (device-looks.ts). That is no attempt, and is decided when the push would be sent.
 * ND6 What was tried often enough or is too old is not taken any more, also where no sender ever said how an attempt of it ended.
 * ND7 Of pushes only so many are taken for one push service and for one account, counted with those that this sender has in hand: one that
 *     hangs keeps nobody else.
 */
import { sql } from 'kysely';
import type { AccountId, QueryContext } from '../context.ts';
import type { Database } from '../engine.ts';
import type { Json } from '../schema/json-text.ts';
import type { NoticeClass, NoticeDeliveriesTable } from '../schema/feed-tables.ts';
import { toRecord } from '../schema/record.ts';
import { parseAccountId } from './accounts.ts';
import { whetherToPush } from './device-looks.ts';
import { plan, type PlanInput, pushChannel } from './notice-plan.ts';
import { createPushPlaces, type PushPlaces, serviceOf } from './push-places.ts';

export interface Sender {
  readonly instanceId: string;
  readonly generation: number;
}

export interface TakeInput {
  /** `push`: that of every device. */
  readonly channels: readonly string[];
  readonly sender: Sender;
  /** How long it is ours. */
  readonly holdMs: number;
  /** None is put off for longer: what is, was written under another clock. */
  readonly pauseMsMax: number;
  /** ND6 */
  readonly attemptsMax: number;
  readonly ageMsMax: number;
  readonly limit: number;
  /** ND7. Absent: as many as there are. */
  readonly shares?: PushShares | undefined;
}

/** Whose place a push takes. */
export interface PushPlace {
  readonly accountId: string;
  /** Where its subscription is: `https://push.example/`. Absent: it has none any more. */
  readonly service?: string | undefined;
}

export interface PushShares {
  readonly underWay: readonly PushPlace[];
  readonly perServiceMax: number;
  readonly perAccountMax: number;
}

export interface TakenDelivery {
  readonly accountId: AccountId;
  readonly noticeId: string;
  readonly channel: string;
  /** Of a push. */
  readonly deviceId?: string | undefined;
  readonly service?: string | undefined;
  /** 1 for the first. */
  readonly attempt: number;
  readonly class: NoticeClass;
  readonly threadId?: string | undefined;
  readonly threadTitle?: string | undefined;
  readonly subjectId: string;
  readonly detail: { readonly [key: string]: Json | undefined };
  readonly createdAtMs: number;
  /** How much needs the person, as the inbox counts it. */
  readonly openCount: number;
}

export type DeliveryEnd =
  | { readonly state: 'sent' }
  | { readonly state: 'failed'; readonly reason: string }
  /** There is nothing left to send it to. */
  | { readonly state: 'skipped'; readonly reason: string }
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

async function take(
  db: Database,
  nowMs: number,
  input: TakeInput,
): Promise<readonly TakenDelivery[]> {
  const taken: TakenDelivery[] = [];
  const openCounts = new Map<string, number>();
  const places = createPushPlaces(input.shares);
  // A look that settles or puts off all that it finds is followed by another: each of them makes fewer.
  for (;;) {
    const rows = await selectDue(db, nowMs, { ...input, full: places.full() });
    for (const row of rows) {
      const place = placeOf(row);
      // Others of this look have taken the last one; it stays due.
      if (place !== undefined && !places.hasRoom(place)) continue;
      const delivery = await takeOne(db, row, { nowMs, input });
      if (delivery === undefined) continue;
      const { accountId } = delivery;
      const openCount = openCounts.get(accountId) ?? (await countOpen(db, accountId));
      openCounts.set(accountId, openCount);
      if (place !== undefined) places.add(place);
      taken.push({ ...delivery, service: place?.service, openCount });
    }
    if (rows.length < input.limit || taken.length > 0) return taken;
  }
}

/* Undefined: it is no push. */
function placeOf({ account_id, device_id, endpoint }: DueRow): PushPlace | undefined {
  if (device_id === null) return undefined;
  return { accountId: account_id, service: endpoint === null ? undefined : serviceOf(endpoint) };
}

async function takeOne(
  db: Database,
  row: DueRow,
  { nowMs, input }: { readonly nowMs: number; readonly input: TakeInput },
): Promise<Omit<TakenDelivery, 'openCount'> | undefined> {
  const { sender, holdMs } = input;
  const { endpoint: _, ...facts } = toRecord(row);
  const { resolvedAtMs, seenAtMs, visibleUntilMs, attempts, reason, accountId, ...delivery } =
    facts;
  // ND3
  if (resolvedAtMs !== undefined) {
    await change(db, row, { state: 'skipped', reason: 'resolved', settled_at_ms: nowMs });
    return undefined;
  }
  const over = whyOver({ ...delivery, attempts, reason }, { nowMs, input });
  if (over !== undefined) {
    await change(db, row, { ...over, settled_at_ms: nowMs });
    return undefined;
  }
  if (delivery.deviceId !== undefined) {
    // ND5
    const answer = whetherToPush({ ...delivery, seenAtMs, visibleUntilMs }, nowMs);
    if (answer.push === 'never') {
      await change(db, row, { state: 'skipped', reason: answer.reason, settled_at_ms: nowMs });
      return undefined;
    }
    if (answer.push === 'later') {
      const { reason, dueAtMs } = answer;
      await change(db, row, { state: 'pending', reason, due_at_ms: dueAtMs });
      return undefined;
    }
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
  return { ...delivery, accountId: parseAccountId(accountId), attempt };
}

/* ND6. As a sender would have ended it. */
function whyOver(
  facts: {
    readonly attempts: number;
    readonly createdAtMs: number;
    readonly reason: string | undefined;
  },
  { nowMs, input }: { readonly nowMs: number; readonly input: TakeInput },
): Pick<NoticeDeliveriesTable, 'state' | 'reason'> | undefined {
  const { attempts, createdAtMs, reason = 'no outcome' } = facts;
  if (attempts >= input.attemptsMax) return { state: 'failed', reason };
  if (nowMs - createdAtMs <= input.ageMsMax) return undefined;
  return { state: attempts === 0 ? 'skipped' : 'failed', reason: 'old' };
}

interface Full {
  readonly full: ReturnType<PushPlaces['full']>;
}

type DueRow = Awaited<ReturnType<typeof selectDue>>[number];

/* Unsettled ones with what decides about them. */
function selectUnsettled(db: Database) {
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
    .leftJoin('device_presence as presence', (join) =>
      join
        .onRef('presence.account_id', '=', 'delivery.account_id')
        .onRef('presence.device_id', '=', 'delivery.device_id'),
    )
    .leftJoin('push_subscriptions as subscription', (join) =>
      join
        .onRef('subscription.account_id', '=', 'delivery.account_id')
        .onRef('subscription.device_id', '=', 'delivery.device_id'),
    )
    .select([
      'delivery.account_id',
      'delivery.notice_id',
      'delivery.channel',
      'delivery.device_id',
      'delivery.attempts',
      'delivery.reason',
      'notice.class',
      'notice.thread_id',
      'notice.subject_id',
      'notice.detail_json',
      'notice.created_at_ms',
      'notice.seen_at_ms',
      'notice.resolved_at_ms',
      'threads.title as thread_title',
      'presence.visible_until_ms',
      'subscription.endpoint',
    ])
    .where('delivery.settled_at_ms', 'is', null);
}

function selectDue(
  db: Database,
  nowMs: number,
  { channels, sender, holdMs, pauseMsMax, limit, full }: TakeInput & Full,
) {
  let due = selectUnsettled(db)
    .where((eb) =>
      eb.or([
        eb('delivery.channel', 'in', [...channels]),
        ...(channels.includes(pushChannel) ? [eb('delivery.device_id', 'is not', null)] : []),
      ]),
    )
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
    );
  // ND7
  for (const service of full.services) {
    const start = sql`substr(coalesce(subscription.endpoint, ''), 1, ${service.length})`;
    due = due.where(start, '<>', service);
  }
  if (full.accounts.length > 0) {
    due = due.where((eb) =>
      eb.or([
        eb('delivery.device_id', 'is', null),
        eb('delivery.account_id', 'not in', [...full.accounts]),
      ]),
    );
  }
  return due.orderBy('delivery.due_at_ms').limit(limit).execute();
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

/** As the inbox counts what needs somebody (gateway, routes/inbox.ts). */
async function countOpen(db: Database, accountId: string): Promise<number> {
  const { count: notices } = await db
    .selectFrom('notices')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('account_id', '=', accountId)
    .where('resolved_at_ms', 'is', null)
    .where('class', 'in', ['approval', 'question', 'failed'])
    .executeTakeFirstOrThrow();
  const { count: hosts } = await db
    .selectFrom('ssh_connections')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('account_id', '=', accountId)
    .where('test_result', '=', 'host_key_changed')
    .where('deleted_at_ms', 'is', null)
    .executeTakeFirstOrThrow();
  return notices + hosts;
}
