/*
 * The threads of an account: the port of packages/agents, whose decisions are committed here.
 */
import type { ThreadAudit, ThreadRecords } from '@clawdfather/agents';
import { insertAudit } from '../../audit.ts';
import type { AccountContext } from '../../context.ts';
import type { Database } from '../../engine.ts';
import { toRecord } from '../../schema/record.ts';
import { selectPage } from '../../select.ts';
import { writeNews } from '../feed/news.ts';
import { newsOfArchive } from '../feed/thread-news.ts';
import { commitChange } from './commit.ts';
import { createThread } from './create.ts';
import { loadThread, runOf, threadOf } from './load.ts';
import {
  selectAsk,
  selectDeltas,
  selectEndedRuns,
  selectEvents,
  selectFrames,
  selectLastAsks,
  selectOpenAsks,
  selectThread,
  selectThreads,
  selectTurn,
  selectTurnOfMessage,
  selectTurns,
} from './selects.ts';

export type Threads = ThreadRecords;

export function createThreads(context: AccountContext): Threads {
  const { runner, accountId } = context;
  return {
    create: (thread, audit) => createThread(context, thread, audit),
    load: (threadId) => loadThread(context, threadId),
    commit: (before, change, audit) => commitChange(context, before, { change, audit }),
    get: async (threadId) => {
      const [row] = await runner.select(selectThread, { accountId, threadId });
      return row === undefined ? undefined : threadOf(toRecord(row));
    },
    list: async ({ status, idPrefix, includeArchived, rootId, ...page } = {}) => {
      const withArchived = includeArchived === true ? 1 : undefined;
      const idPrefixLength = idPrefix === undefined ? undefined : Array.from(idPrefix).length;
      const values = { accountId, status, withArchived, idPrefix, idPrefixLength, rootId };
      const { items, total } = await selectPage(runner, selectThreads, { page, values });
      return { items: items.map(threadOf), total };
    },
    archive: (threadId, audit) =>
      runner.writeRepeatable((db) => archive(db, context, { threadId, audit })),
    events: async (threadId, { after, limit }) => {
      const rows = await runner.select(selectEvents, { accountId, threadId, after, limit });
      return rows.map(toRecord);
    },
    deltas: async ({ threadId, id: turnId }, { after, limit }) => {
      const wanted = { accountId, threadId, turnId, after, limit };
      return (await runner.select(selectDeltas, wanted)).map(toRecord);
    },
    turns: async (threadId) =>
      (await runner.select(selectTurns, { accountId, threadId })).map(toRecord),
    turn: async (id) => (await runner.select(selectTurn, { accountId, id })).map(toRecord)[0],
    turnOfMessage: async (threadId, messageId) => {
      const rows = await runner.select(selectTurnOfMessage, { accountId, threadId, messageId });
      return rows.map(toRecord)[0];
    },
    ask: async (id) => (await runner.select(selectAsk, { accountId, id })).map(toRecord)[0],
    openAsks: async () => (await runner.select(selectOpenAsks, { accountId })).map(toRecord),
    lastAsks: async (limit) =>
      (await runner.select(selectLastAsks, { accountId, limit })).map(toRecord).toReversed(),
    frames: async (runId, from) =>
      (await runner.select(selectFrames, { accountId, runId, from })).map(toRecord),
    trimFrames: async (runId, below) => {
      await runner.writeRepeatable((db) =>
        db
          .deleteFrom('acp_frames')
          .where('account_id', '=', accountId)
          .where('run_id', '=', runId)
          .where('input_end', '<=', below)
          .execute(),
      );
    },
    endedRuns: async (threadId) =>
      (await runner.select(selectEndedRuns, { accountId, threadId })).map(runOf),
  };
}

/** A change as any other: who decides on the rows before it is told that they are not the newest. */
async function archive(
  db: Database,
  context: AccountContext,
  { threadId, audit }: { readonly threadId: string; readonly audit: ThreadAudit | undefined },
): Promise<'archived' | 'not_found' | 'busy'> {
  const { accountId, clock } = context;
  const row = await db
    .selectFrom('threads')
    .select(['status', 'version'])
    .where('account_id', '=', accountId)
    .where('id', '=', threadId)
    .executeTakeFirst();
  if (row === undefined) return 'not_found';
  if (row.status === 'archived') return 'archived';
  if (row.status !== 'ready') return 'busy';
  await db
    .updateTable('threads')
    .set({
      status: 'archived',
      version: row.version + 1,
      change_id: null,
      updated_at_ms: clock.wallMs(),
    })
    .where('account_id', '=', accountId)
    .where('id', '=', threadId)
    .execute();
  if (audit !== undefined) await insertAudit(db, context, { target: threadId, ...audit });
  await writeNews(db, context, newsOfArchive(threadId));
  return 'archived';
}
