/*
 * The threads of an account: the port of packages/agents, whose decisions are committed here.
 */
import type { NewThread, ThreadAudit, ThreadRecords, ThreadRows } from '@clawdfather/agents';
import { insertAudit } from '../../audit.ts';
import type { AccountContext } from '../../context.ts';
import type { Database } from '../../engine.ts';
import { StoreError } from '../../errors.ts';
import { checkText } from '../../schema/json-text.ts';
import { toRecord } from '../../schema/record.ts';
import { selectPage } from '../../select.ts';
import { commitChange } from './commit.ts';
import { loadThread, runOf, threadOf } from './load.ts';
import {
  selectAsk,
  selectDeltas,
  selectEndedRuns,
  selectEvents,
  selectFrames,
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
    create: (thread, audit) => create(context, thread, audit),
    load: (threadId) => loadThread(context, threadId),
    commit: (before, change, audit) => commitChange(context, before, { change, audit }),
    get: async (threadId) => {
      const [row] = await runner.select(selectThread, { accountId, threadId });
      return row === undefined ? undefined : threadOf(toRecord(row));
    },
    list: async ({ status, idPrefix, includeArchived, ...page } = {}) => {
      const withArchived = includeArchived === true ? 1 : undefined;
      const idPrefixLength = idPrefix === undefined ? undefined : Array.from(idPrefix).length;
      const values = { accountId, status, withArchived, idPrefix, idPrefixLength };
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

/** The id is made before, so that a lost answer makes no second thread. */
async function create(
  context: AccountContext,
  input: NewThread,
  audit: ThreadAudit | undefined,
): Promise<ThreadRows> {
  const { runner, accountId, clock, random } = context;
  const id = input.id ?? random.id();
  const nowMs = clock.wallMs();
  const { parentId, spawnedBy = parentId, ownerId = parentId ?? id } = input;
  const columns = {
    account_id: accountId,
    id,
    version: 1,
    change_id: null,
    agent: checkText('agent', input.agent),
    connection_id: input.connectionId ?? null,
    cwd: checkText('cwd', input.cwd),
    title: checkText('title', input.title),
    status: 'ready',
    session_id: input.sessionId ?? null,
    via_connection_id: input.viaConnectionId ?? null,
    backend: checkText('backend', input.backend ?? 'acp'),
    owner_id: checkText('ownerId', ownerId),
    spawned_by: spawnedBy ?? null,
    parent_id: parentId ?? null,
    instance_id: input.instanceId,
    last_seq: 0,
    last_turn_id: null,
    last_result_code: null,
    native_session_id_json: null,
    created_at_ms: nowMs,
    updated_at_ms: nowMs,
  } as const;
  await runner.writeRepeatable(async (db) => {
    await refuseUnknown(db, accountId, input);
    const made = await db
      .insertInto('threads')
      .values(columns)
      .onConflict((conflict) => conflict.columns(['account_id', 'id']).doNothing())
      .executeTakeFirst();
    if (audit === undefined || made.numInsertedOrUpdatedRows !== 1n) return;
    await insertAudit(db, context, { target: id, ...audit });
  });
  const thread = threadOf(toRecord(columns));
  return { thread, calls: new Map(), asks: new Map(), queue: [] };
}

/** The foreign keys would refuse them, too, without saying which it was. */
async function refuseUnknown(
  db: Database,
  accountId: string,
  { connectionId, parentId }: NewThread,
): Promise<void> {
  const missing = (field: string): StoreError =>
    new StoreError('value-invalid', `there is no such ${field} in this account`, {
      detail: { field },
      hint: 'It may have been removed meanwhile.',
    });
  if (connectionId !== undefined) {
    const connection = await db
      .selectFrom('ssh_connections')
      .select('id')
      .where('account_id', '=', accountId)
      .where('id', '=', connectionId)
      .where('deleted_at_ms', 'is', null)
      .executeTakeFirst();
    if (connection === undefined) throw missing('connection');
  }
  if (parentId === undefined) return;
  const parent = await db
    .selectFrom('threads')
    .select('id')
    .where('account_id', '=', accountId)
    .where('id', '=', parentId)
    .executeTakeFirst();
  if (parent === undefined) throw missing('thread');
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
  return 'archived';
}
