/*
 * The events of a thread, in one sequence without gaps.
 *
 * V1 Numbers come from the thread's `last_seq`, in the transaction that inserts: readers never see 7 before 6, and 6 is
 *    never missing.
 * V2 Events that were made from a source (a run's journal) are stored together with the cursor up to which it was read.
 *    An append that starts from another cursor than the stored one is refused: somebody has consumed that piece already.
 * V3 Appending is fenced by the epoch of the thread's session.
 */
import type { AccountContext, AccountId } from '../context.ts';
import type { Database } from '../engine.ts';
import { StoreError } from '../errors.ts';
import { eventBytesMax, eventsPerAppendMax, eventsPerReadMax } from '../limits.ts';
import { formatJson, type Json } from '../schema/json-text.ts';
import { type RecordOf, toRecord } from '../schema/record.ts';
import type { EventCursorsTable, TurnEventsTable } from '../schema/tables.ts';
import { createSelect } from '../select.ts';
import { readEpoch } from './fence.ts';
import { insertEvents } from './insert-events.ts';

export type ThreadEvent = RecordOf<TurnEventsTable>;

export interface NewEvent {
  readonly turnId?: string;
  readonly type: string;
  readonly payload: Json;
}

export interface CursorMove {
  readonly source: string;
  /** What the caller started from; absent for the beginning. */
  readonly from?: string;
  readonly to: string;
}

export type AppendOutcome =
  | { readonly outcome: 'appended'; readonly firstSeq: number; readonly lastSeq: number }
  | { readonly outcome: 'not_found' | 'epoch_stale' }
  | { readonly outcome: 'cursor_moved'; readonly cursor: string | undefined };

export interface ThreadEvents {
  append(input: {
    threadId: string;
    epoch: number;
    events: readonly NewEvent[];
    cursor?: CursorMove;
  }): Promise<AppendOutcome>;
  /** In order, after this number. A missing thread has none. */
  read(input: {
    threadId: string;
    afterSeq: number;
    limit?: number;
  }): Promise<readonly ThreadEvent[]>;
  cursor(input: { threadId: string; source: string }): Promise<string | undefined>;
}

export function createThreadEvents(context: AccountContext): ThreadEvents {
  const { runner, accountId, clock } = context;
  return {
    append: async ({ threadId, epoch, events, cursor }) => {
      /* Everything that can be prepared is, before the transaction begins. */
      if (events.length > eventsPerAppendMax) throw tooBig('more events than one append takes');
      const drafts = events.map(({ turnId = null, type, payload }) => {
        const payloadJson = formatJson(payload);
        if (Buffer.byteLength(payloadJson) > eventBytesMax) throw tooBig('an event is too big');
        return { turn_id: turnId, type, payload_json: payloadJson };
      });
      return await runner.write(async (db): Promise<AppendOutcome> => {
        const thread = await db
          .selectFrom('threads')
          .select(['session_id', 'last_seq'])
          .where('account_id', '=', accountId)
          .where('id', '=', threadId)
          .executeTakeFirst();
        if (thread === undefined) return { outcome: 'not_found' };
        if ((await readEpoch(db, accountId, thread.session_id)) !== epoch) {
          return { outcome: 'epoch_stale' };
        }
        const nowMs = clock.wallMs();
        if (cursor !== undefined) {
          const place = { account_id: accountId, thread_id: threadId, updated_at_ms: nowMs };
          const moved = await moveCursor(db, { ...place, source: cursor.source }, cursor);
          if (moved !== 'moved') return moved;
        }
        const firstSeq = thread.last_seq + 1;
        const lastSeq = thread.last_seq + drafts.length;
        await db
          .updateTable('threads')
          .set({ last_seq: lastSeq, updated_at_ms: nowMs })
          .where('account_id', '=', accountId)
          .where('id', '=', threadId)
          .execute();
        await insertEvents(
          db,
          runner.dialect,
          drafts.map((draft, index) => ({
            account_id: accountId,
            thread_id: threadId,
            seq: firstSeq + index,
            created_at_ms: nowMs,
            ...draft,
          })),
        );
        return { outcome: 'appended', firstSeq, lastSeq };
      });
    },
    read: async ({ threadId, afterSeq, limit = eventsPerReadMax }) => {
      const rows = await runner.select(selectEvents, {
        accountId,
        threadId,
        afterSeq,
        limit: Math.max(1, Math.min(limit, eventsPerReadMax)),
      });
      return rows.map(toRecord);
    },
    cursor: ({ threadId, source }) =>
      runner.read((db) => findCursor(db, { account_id: accountId, thread_id: threadId, source })),
  };
}

interface EventFilter {
  readonly accountId: AccountId;
  readonly threadId: string;
  readonly afterSeq: number;
  readonly limit: number;
}

const selectEvents = createSelect((db, { accountId, threadId, afterSeq, limit }: EventFilter) =>
  db
    .selectFrom('turn_events')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('thread_id', '=', threadId)
    .where('seq', '>', afterSeq)
    .orderBy('seq')
    .limit(limit),
);

type CursorKey = Pick<EventCursorsTable, 'account_id' | 'thread_id' | 'source'>;

async function findCursor(db: Database, key: CursorKey): Promise<string | undefined> {
  const row = await db
    .selectFrom('event_cursors')
    .select('cursor')
    .where('account_id', '=', key.account_id)
    .where('thread_id', '=', key.thread_id)
    .where('source', '=', key.source)
    .executeTakeFirst();
  return row?.cursor;
}

/** V2. */
async function moveCursor(
  db: Database,
  row: Omit<EventCursorsTable, 'cursor'>,
  { from, to }: CursorMove,
): Promise<'moved' | Extract<AppendOutcome, { outcome: 'cursor_moved' }>> {
  const cursor = await findCursor(db, row);
  if (cursor !== from) return { outcome: 'cursor_moved', cursor };
  await db
    .insertInto('event_cursors')
    .values({ ...row, cursor: to })
    .onConflict((conflict) =>
      conflict
        .columns(['account_id', 'thread_id', 'source'])
        .doUpdateSet({ cursor: to, updated_at_ms: row.updated_at_ms }),
    )
    .execute();
  return 'moved';
}

function tooBig(message: string): StoreError {
  return new StoreError('value-invalid', message, { hint: 'Append in smaller pieces.' });
}
