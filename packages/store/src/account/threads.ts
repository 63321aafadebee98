/*
 * Threads: conversations. A thread belongs to a session; its turns and events are in their own files.
 */
import { type AuditEntry, auditedWrite, type Change, changed, unchanged } from '../audit.ts';
import type { AccountContext, AccountId, Listing, Page } from '../context.ts';
import type { Database } from '../engine.ts';
import { checkText } from '../schema/json-text.ts';
import { type RecordOf, toOptionalRecord, toRecord } from '../schema/record.ts';
import type { ThreadStatus, ThreadsTable } from '../schema/tables.ts';
import { createSelect, pageOf, type PageValues, selectPage } from '../select.ts';

export type Thread = RecordOf<ThreadsTable>;

export type CreateThreadOutcome =
  | { readonly outcome: 'created' | 'exists'; readonly thread: Thread }
  | { readonly outcome: 'session_not_found' };

export type MoveOutcome = 'moved' | 'not_found' | 'session_not_found' | 'busy';

export interface Threads {
  /** Newest first. */
  list(query?: Page & { sessionId?: string; status?: ThreadStatus }): Promise<Listing<Thread>>;
  get(id: string): Promise<Thread | undefined>;
  /** A client may name the thread itself; the same name again is the same thread. */
  create(input: {
    id?: string;
    sessionId: string;
    title: string;
    audit: AuditEntry;
  }): Promise<CreateThreadOutcome>;
  /** Goes on in another session, whose epoch fences it from then on. Only one that has nothing under way. */
  move(input: { id: string; sessionId: string; audit: AuditEntry }): Promise<MoveOutcome>;
  /** Only one that has nothing under way. */
  archive(input: { id: string; audit: AuditEntry }): Promise<'archived' | 'not_found' | 'busy'>;
}

export function createThreads(context: AccountContext): Threads {
  const { runner, accountId, clock, random } = context;
  return {
    list: ({ sessionId, status, ...page } = {}) =>
      selectPage(runner, selectThreads, { page, values: { accountId, sessionId, status } }),
    get: async (id) => {
      const [row] = await runner.select(selectThread, { accountId, id });
      return toOptionalRecord(row);
    },
    create: ({ id = random.id(), sessionId, title, audit }) =>
      auditedWrite<CreateThreadOutcome>(context, audit, (db) =>
        create(db, context, { id, sessionId, title }),
      ),
    move: ({ id, sessionId, audit }) =>
      auditedWrite<MoveOutcome>(context, audit, async (db) => {
        const outcome = await move(db, context, { id, sessionId });
        return outcome === 'moved' ? changed(outcome, id) : unchanged(outcome);
      }),
    archive: ({ id, audit }) =>
      auditedWrite<'archived' | 'not_found' | 'busy'>(context, audit, async (db) => {
        const row = await db
          .selectFrom('threads')
          .select('lifecycle_status')
          .where('account_id', '=', accountId)
          .where('id', '=', id)
          .executeTakeFirst();
        if (row === undefined) return unchanged('not_found');
        if (row.lifecycle_status === 'archived') return unchanged('archived');
        if (row.lifecycle_status !== 'ready') return unchanged('busy');
        await db
          .updateTable('threads')
          .set({ lifecycle_status: 'archived', updated_at_ms: clock.wallMs() })
          .where('account_id', '=', accountId)
          .where('id', '=', id)
          .execute();
        return changed('archived', id);
      }),
  };
}

interface ThreadFilter {
  readonly accountId: AccountId;
  readonly sessionId: string | undefined;
  readonly status: ThreadStatus | undefined;
}

const selectThreads = createSelect(
  (db, { accountId, sessionId, status, ...page }: PageValues<ThreadFilter>) => {
    let all = db.selectFrom('threads').where('account_id', '=', accountId);
    if (sessionId !== undefined) all = all.where('session_id', '=', sessionId);
    if (status !== undefined) all = all.where('lifecycle_status', '=', status);
    return pageOf(all.orderBy('created_at_ms', 'desc').orderBy('id'), page);
  },
);

const selectThread = createSelect(
  (db, { accountId, id }: { readonly accountId: AccountId; readonly id: string }) =>
    db.selectFrom('threads').selectAll().where('account_id', '=', accountId).where('id', '=', id),
);

async function create(
  db: Database,
  { accountId, clock }: AccountContext,
  { id, sessionId, title }: { id: string; sessionId: string; title: string },
): Promise<Change<CreateThreadOutcome>> {
  const hasSession = await isSession(db, accountId, sessionId);
  if (!hasSession) return unchanged({ outcome: 'session_not_found' });
  const nowMs = clock.wallMs();
  const row = await db
    .insertInto('threads')
    .values({
      account_id: accountId,
      id: checkText('id', id),
      session_id: sessionId,
      title: checkText('title', title),
      lifecycle_status: 'ready',
      last_turn_id: null,
      pending_turn_id: null,
      last_result_code: null,
      last_seq: 0,
      created_at_ms: nowMs,
      updated_at_ms: nowMs,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();
  if (row !== undefined) return changed({ outcome: 'created', thread: toRecord(row) }, id);
  const known = await db
    .selectFrom('threads')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return unchanged({ outcome: 'exists', thread: toRecord(known) });
}

async function isSession(db: Database, accountId: AccountId, sessionId: string): Promise<boolean> {
  const row = await db
    .selectFrom('session_leases')
    .select('id')
    .where('account_id', '=', accountId)
    .where('id', '=', sessionId)
    .executeTakeFirst();
  return row !== undefined;
}

async function move(
  db: Database,
  { accountId, clock }: AccountContext,
  { id, sessionId }: { readonly id: string; readonly sessionId: string },
): Promise<MoveOutcome> {
  const row = await db
    .selectFrom('threads')
    .select('lifecycle_status')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst();
  if (row === undefined) return 'not_found';
  if (!(await isSession(db, accountId, sessionId))) return 'session_not_found';
  if (row.lifecycle_status === 'queued' || row.lifecycle_status === 'running') return 'busy';
  await db
    .updateTable('threads')
    .set({ session_id: sessionId, updated_at_ms: clock.wallMs() })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .execute();
  return 'moved';
}
