/*
 * What a person does to a thread as a whole: put it away and take it back, call it something else, pin it.
 *
 * A change as any other: it raises the version, so who decides on the rows before it is told that they are not the newest. A pin is no
 * such change: nothing is decided by it, as by how far the thread was looked at.
 */
import type { ThreadAudit, ThreadEdit } from '@clawdfather/agents';
import { insertAudit } from '../../audit.ts';
import type { AccountContext } from '../../context.ts';
import type { Database } from '../../engine.ts';
import type { ThreadsTable } from '../../schema/agent-tables.ts';
import { checkText } from '../../schema/json-text.ts';
import { type AccountNews, writeNews } from '../feed/news.ts';
import { newsOfArchive, newsOfEdit } from '../feed/thread-news.ts';

export interface AuditedThread {
  readonly threadId: string;
  readonly audit: ThreadAudit | undefined;
}

type Known = Pick<ThreadsTable, 'status' | 'version' | 'title' | 'pinned_at_ms'>;

export async function archiveThread(
  db: Database,
  context: AccountContext,
  wanted: AuditedThread,
): Promise<'archived' | 'not_found' | 'busy'> {
  const row = await read(db, context, wanted.threadId);
  if (row === undefined) return 'not_found';
  if (row.status === 'archived') return 'archived';
  if (row.status !== 'ready') return 'busy';
  const news = newsOfArchive(wanted.threadId);
  await write(db, context, { ...wanted, news, columns: { ...next(row), status: 'archived' } });
  return 'archived';
}

export async function unarchiveThread(
  db: Database,
  context: AccountContext,
  wanted: AuditedThread,
): Promise<'ready' | 'not_found'> {
  const row = await read(db, context, wanted.threadId);
  if (row === undefined) return 'not_found';
  if (row.status !== 'archived') return 'ready';
  const news = newsOfEdit(wanted.threadId, { status: 'ready' });
  await write(db, context, { ...wanted, news, columns: { ...next(row), status: 'ready' } });
  return 'ready';
}

export async function editThread(
  db: Database,
  context: AccountContext,
  { edit, ...wanted }: AuditedThread & { readonly edit: ThreadEdit },
): Promise<'edited' | 'not_found'> {
  const row = await read(db, context, wanted.threadId);
  if (row === undefined) return 'not_found';
  const { title = row.title, isPinned = row.pinned_at_ms !== null } = edit;
  const isRenamed = title !== row.title;
  const isMoved = isPinned !== (row.pinned_at_ms !== null);
  if (!isRenamed && !isMoved) return 'edited';
  const columns = {
    ...(isRenamed ? { ...next(row), title: checkText('title', title) } : {}),
    ...(isMoved ? { pinned_at_ms: isPinned ? context.clock.wallMs() : null } : {}),
  };
  const news = newsOfEdit(wanted.threadId, {
    status: row.status,
    ...(isRenamed ? { title } : {}),
    ...(isMoved ? { is_pinned: isPinned } : {}),
  });
  await write(db, context, { ...wanted, news, columns });
  return 'edited';
}

function read(
  db: Database,
  { accountId }: AccountContext,
  threadId: string,
): Promise<Known | undefined> {
  return db
    .selectFrom('threads')
    .select(['status', 'version', 'title', 'pinned_at_ms'])
    .where('account_id', '=', accountId)
    .where('id', '=', threadId)
    .executeTakeFirst();
}

function next({ version }: Known): Pick<ThreadsTable, 'version' | 'change_id'> {
  return { version: version + 1, change_id: null };
}

async function write(
  db: Database,
  context: AccountContext,
  {
    threadId,
    audit,
    columns,
    news,
  }: AuditedThread & {
    readonly columns: Partial<ThreadsTable>;
    readonly news: AccountNews;
  },
): Promise<void> {
  const { accountId, clock } = context;
  await db
    .updateTable('threads')
    .set({ ...columns, updated_at_ms: clock.wallMs() })
    .where('account_id', '=', accountId)
    .where('id', '=', threadId)
    .execute();
  if (audit !== undefined) await insertAudit(db, context, { target: threadId, ...audit });
  await writeNews(db, context, news);
}
