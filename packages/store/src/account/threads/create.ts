/*
 * New threads: one that a person begins, and one that an agent spawns. Who is above it is read from the parent's row in the transaction
 * that writes it, so no caller can say otherwise.
 *
 * The id is made before, so that a lost answer makes no second thread.
 */
import type {
  NewChild,
  NewThread,
  SpawnOutcome,
  ThreadAudit,
  ThreadRow,
  ThreadRows,
} from '@clawdfather/agents';
import { sql } from 'kysely';
import { insertAudit } from '../../audit.ts';
import type { AccountContext } from '../../context.ts';
import type { Database } from '../../engine.ts';
import { StoreError } from '../../errors.ts';
import { ancestorsMax } from '../../limits.ts';
import { checkText, formatJson, parseJson } from '../../schema/json-text.ts';
import { toRecord } from '../../schema/record.ts';
import type { ThreadsTable } from '../../schema/agent-tables.ts';
import { writeNews } from '../feed/news.ts';
import { newsOfThread } from '../feed/thread-news.ts';
import { threadOf } from './load.ts';

export async function createThread(
  context: AccountContext,
  input: NewThread,
  audit: ThreadAudit | undefined,
): Promise<ThreadRows> {
  const { runner, accountId, random } = context;
  const id = input.id ?? random.id();
  const thread = await runner.writeRepeatable(async (db) => {
    await refuseUnknownConnection(db, accountId, input.connectionId);
    const above = await aboveOf(db, accountId, input.parentId);
    if (above === undefined) throw missing('thread');
    if (above.length > ancestorsMax) throw tooDeep();
    return (await insertThread(db, context, { id, input, above, audit })).thread;
  });
  return { thread, calls: new Map(), asks: new Map(), queue: [] };
}

/** The bounds are counted in the same transaction, so that children that are spawned at once are counted one after the other. */
export async function spawnThread(
  context: AccountContext,
  { id, depthMax, activeMax, ...input }: NewChild,
  audit: ThreadAudit | undefined,
): Promise<SpawnOutcome> {
  const { runner, accountId } = context;
  return runner.writeRepeatable(async (db): Promise<SpawnOutcome> => {
    const known = await readThread(db, accountId, id);
    if (known !== undefined) {
      return known.parentId === input.parentId
        ? { outcome: 'known', thread: known }
        : { outcome: 'id-taken' };
    }
    const above = await aboveOf(db, accountId, input.parentId);
    if (above === undefined) return { outcome: 'parent-gone' };
    if (above.length > Math.min(depthMax, ancestorsMax)) return { outcome: 'too-deep' };
    if ((await countActive(db, accountId, above[0])) >= activeMax) return { outcome: 'too-many' };
    return { outcome: 'made', ...(await insertThread(db, context, { id, input, above, audit })) };
  });
}

interface Insert {
  readonly id: string;
  readonly input: NewThread;
  readonly above: readonly string[];
  readonly audit: ThreadAudit | undefined;
}

async function insertThread(
  db: Database,
  context: AccountContext,
  { id, input, above, audit }: Insert,
): Promise<{ readonly thread: ThreadRow }> {
  const { accountId, clock } = context;
  const nowMs = clock.wallMs();
  const { parentId, spawnedBy = parentId, ownerId = parentId ?? id } = input;
  const columns: ThreadsTable = {
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
    ancestors_json: formatJson(above),
    root_id: above[0] ?? null,
    instance_id: input.instanceId,
    last_seq: 0,
    last_turn_id: null,
    last_result_code: null,
    native_session_id_json: null,
    created_at_ms: nowMs,
    updated_at_ms: nowMs,
    seen_seq: 0,
    pinned_at_ms: null,
    chosen_json: input.chosen === undefined ? null : formatJson(input.chosen),
    current_choices_json: null,
  };
  const thread = threadOf(toRecord(columns));
  const made = await db
    .insertInto('threads')
    .values(columns)
    .onConflict((conflict) => conflict.columns(['account_id', 'id']).doNothing())
    .executeTakeFirst();
  if (made.numInsertedOrUpdatedRows === 1n) {
    if (audit !== undefined) await insertAudit(db, context, { target: id, ...audit });
    await writeNews(db, context, newsOfThread(thread));
  }
  return { thread };
}

/** Its parent's ancestors, and the parent; undefined: there is no such parent. */
async function aboveOf(
  db: Database,
  accountId: string,
  parentId: string | undefined,
): Promise<readonly string[] | undefined> {
  if (parentId === undefined) return [];
  const parent = await db
    .selectFrom('threads')
    .select('ancestors_json')
    .where('account_id', '=', accountId)
    .where('id', '=', parentId)
    .executeTakeFirst();
  return parent && [...parseJson(parent.ancestors_json), parentId];
}

/** Of one tree: what has a turn, or an agent that still lives. */
async function countActive(
  db: Database,
  accountId: string,
  rootId: string | undefined,
): Promise<number> {
  const row = await db
    .selectFrom('threads')
    .select((eb) => eb.fn.countAll<number>().as('active'))
    .where('account_id', '=', accountId)
    .where('root_id', '=', rootId ?? '')
    .where((eb) =>
      eb.or([
        eb('status', 'in', ['queued', 'running']),
        eb.exists(
          eb
            .selectFrom('agent_runs')
            .select(sql`1`.as('one'))
            .whereRef('agent_runs.account_id', '=', 'threads.account_id')
            .whereRef('agent_runs.thread_id', '=', 'threads.id')
            .where('agent_runs.ended_at_ms', 'is', null),
        ),
      ]),
    )
    .executeTakeFirst();
  return row?.active ?? 0;
}

async function readThread(
  db: Database,
  accountId: string,
  id: string,
): Promise<ThreadRow | undefined> {
  const row = await db
    .selectFrom('threads')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row && threadOf(toRecord(row));
}

/** The foreign key would refuse it, too, without saying which it was. */
async function refuseUnknownConnection(
  db: Database,
  accountId: string,
  connectionId: string | undefined,
): Promise<void> {
  if (connectionId === undefined) return;
  const connection = await db
    .selectFrom('ssh_connections')
    .select('id')
    .where('account_id', '=', accountId)
    .where('id', '=', connectionId)
    .where('deleted_at_ms', 'is', null)
    .executeTakeFirst();
  if (connection === undefined) throw missing('connection');
}

function missing(field: string): StoreError {
  return new StoreError('value-invalid', `there is no such ${field} in this account`, {
    detail: { field },
    hint: 'It may have been removed meanwhile.',
  });
}

function tooDeep(): StoreError {
  return new StoreError('value-invalid', 'so many threads cannot be above one', {
    detail: { field: 'parentId', ancestorsMax },
  });
}
