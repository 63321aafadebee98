/*
 * What has happened in an account, written in the transaction of what happened: numbered events, the notices that go with them, and the
 * notices that want nothing more.
 *
 * AE1 An account's events have the numbers 1, 2, 3 … without a hole. The counter is raised in the transaction that adds them, so who sees
 *     a number sees all below it, and a position in the stream is good for ever, at every gateway of the database.
 * AE2 What somebody tells who may tell it twice has a key, and is written once.
 * AE3 The counter is touched late in a transaction: on PostgreSQL others of the account wait for it from then on.
 */
import { sql } from 'kysely';
import type { AccountContext } from '../../context.ts';
import type { Database } from '../../engine.ts';
import { checkText, formatJson, type Json } from '../../schema/json-text.ts';
import type {
  AccountEventsTable,
  AccountEventType,
  NoticeClass,
  NoticeResolution,
} from '../../schema/feed-tables.ts';
import { noteNews } from './news-desk.ts';

export interface EventInput {
  readonly type: AccountEventType;
  readonly threadId?: string | undefined;
  readonly subjectId: string;
  /** Small: what a list needs to show, no prompt, no output. */
  readonly payload?: { readonly [key: string]: Json | undefined };
  /** AE2. */
  readonly key?: string;
}

export interface NoticeInput {
  readonly class: NoticeClass;
  /** Two with one key are one notice. */
  readonly key: string;
  readonly threadId?: string | undefined;
  readonly threadSeq?: number | undefined;
  readonly subjectId: string;
  readonly detail?: { readonly [key: string]: Json | undefined };
  /** Not while another one of the class is open about the same. */
  readonly isOnePerSubject?: true;
}

/** Which open notices: all that fit every word that is given. */
export interface ResolveInput {
  readonly as: NoticeResolution;
  readonly key?: string;
  readonly classes?: readonly NoticeClass[];
  readonly threadId?: string;
  readonly subjectId?: string;
  /** Those about a place in the thread up to here. */
  readonly threadSeqMax?: number;
}

export interface AccountNews {
  readonly events?: readonly EventInput[];
  /** Before the notices: an older one makes room for a newer. */
  readonly resolves?: readonly ResolveInput[];
  readonly notices?: readonly NoticeInput[];
}

type FeedContext = Pick<AccountContext, 'accountId' | 'clock' | 'random'>;

/** After everything else that a transaction writes (AE3). */
export async function writeNews(
  db: Database,
  context: FeedContext,
  { events = [], resolves = [], notices = [] }: AccountNews,
): Promise<void> {
  const told = await withoutKnown(db, context, events);
  for (const resolve of resolves) told.push(...(await resolveNotices(db, context, resolve)));
  for (const notice of notices) {
    if (notice.isOnePerSubject && (await isOpen(db, context, notice))) continue;
    told.push(...(await insertNotice(db, context, notice)));
  }
  if (told.length > 0) await insertEvents(db, context, told);
}

/** AE2. */
async function withoutKnown(
  db: Database,
  { accountId }: FeedContext,
  events: readonly EventInput[],
): Promise<EventInput[]> {
  const keys = events.flatMap(({ key }) => (key === undefined ? [] : [key]));
  if (keys.length === 0) return [...events];
  const rows = await db
    .selectFrom('account_events')
    .select('key')
    .where('account_id', '=', accountId)
    .where('key', 'in', keys)
    .execute();
  const known = new Set(rows.map(({ key }) => key));
  return events.filter(({ key }) => key === undefined || !known.has(key));
}

async function resolveNotices(
  db: Database,
  { accountId, clock }: FeedContext,
  { as, key, classes, threadId, subjectId, threadSeqMax }: ResolveInput,
): Promise<readonly EventInput[]> {
  const nowMs = clock.wallMs();
  let query = db
    .updateTable('notices')
    .set({
      resolved_at_ms: nowMs,
      resolution: as,
      ...(as === 'seen' ? { seen_at_ms: nowMs } : {}),
    })
    .where('account_id', '=', accountId)
    .where('resolved_at_ms', 'is', null);
  if (key !== undefined) query = query.where('key', '=', key);
  if (classes !== undefined) query = query.where('class', 'in', classes);
  if (threadId !== undefined) query = query.where('thread_id', '=', threadId);
  if (subjectId !== undefined) query = query.where('subject_id', '=', subjectId);
  if (threadSeqMax !== undefined) query = query.where('thread_seq', '<=', threadSeqMax);
  const rows = await query.returning(['id', 'class', 'thread_id', 'subject_id']).execute();
  return rows.map((row) => ({
    type: 'notice_resolved',
    threadId: row.thread_id ?? undefined,
    subjectId: row.id,
    payload: { class: row.class, about: row.subject_id, resolution: as },
  }));
}

async function isOpen(
  db: Database,
  { accountId }: FeedContext,
  { class: noticeClass, subjectId }: NoticeInput,
): Promise<boolean> {
  const row = await db
    .selectFrom('notices')
    .select('id')
    .where('account_id', '=', accountId)
    .where('subject_id', '=', subjectId)
    .where('class', '=', noticeClass)
    .where('resolved_at_ms', 'is', null)
    .executeTakeFirst();
  return row !== undefined;
}

async function insertNotice(
  db: Database,
  { accountId, clock, random }: FeedContext,
  { class: noticeClass, key, threadId, threadSeq, subjectId, detail = {} }: NoticeInput,
): Promise<readonly EventInput[]> {
  const id = random.id();
  const made = await db
    .insertInto('notices')
    .values({
      account_id: accountId,
      id,
      class: noticeClass,
      key: checkText('key', key),
      thread_id: threadId ?? null,
      thread_seq: threadSeq ?? null,
      subject_id: checkText('subjectId', subjectId),
      detail_json: formatJson(detail),
      created_at_ms: clock.wallMs(),
      seen_at_ms: null,
      resolved_at_ms: null,
      resolution: null,
      planned_at_ms: null,
    })
    .onConflict((conflict) => conflict.columns(['account_id', 'key']).doNothing())
    .executeTakeFirst();
  if (made.numInsertedOrUpdatedRows !== 1n) return [];
  const payload = { class: noticeClass, about: subjectId, ...detail };
  return [{ type: 'notice', threadId, subjectId: id, payload }];
}

/** AE1. */
async function insertEvents(
  db: Database,
  { accountId, clock }: FeedContext,
  events: readonly EventInput[],
): Promise<void> {
  const count = sql.lit(events.length);
  const { seq: last } = await db
    .insertInto('account_event_heads')
    .values({ account_id: accountId, seq: events.length })
    .onConflict((conflict) =>
      conflict
        .column('account_id')
        .doUpdateSet({ seq: sql<number>`account_event_heads.seq + ${count}` }),
    )
    .returning('seq')
    .executeTakeFirstOrThrow();
  const atMs = clock.wallMs();
  const rows = events.map(
    ({ type, threadId, subjectId, payload = {}, key }, index): AccountEventsTable => ({
      account_id: accountId,
      seq: last - events.length + 1 + index,
      type,
      thread_id: threadId ?? null,
      subject_id: checkText('subjectId', subjectId),
      payload_json: formatJson(payload),
      key: key ?? null,
      at_ms: atMs,
    }),
  );
  await db.insertInto('account_events').values(rows).execute();
  noteNews(db, accountId);
}
