/*
 * Turns: one prompt and all it causes.
 *
 * N1 A terminal status is final: no statement changes a turn that has ended.
 * N2 What the owner of the session writes is fenced by its epoch.
 * N3 The thread's own status is written together with its turns'.
 * N4 The same client message is the same turn.
 */
import { type AuditEntry, auditedWrite, type Change, changed, unchanged } from '../audit.ts';
import type { AccountContext, AccountId, Listing, Page } from '../context.ts';
import type { Database } from '../engine.ts';
import { checkText, formatJson, type Json } from '../schema/json-text.ts';
import { type RecordOf, toOptionalRecord, toRecord } from '../schema/record.ts';
import type { JsonObject, ThreadsTable, TurnStatus, TurnsTable } from '../schema/tables.ts';
import { createSelect, pageOf, type PageValues, selectPage } from '../select.ts';
import { readEpoch } from './fence.ts';

export type Turn = RecordOf<TurnsTable>;
export type FinalStatus = Exclude<TurnStatus, 'queued' | 'running'>;

export interface NewTurn {
  readonly threadId: string;
  readonly agent: string;
  readonly model?: string;
  readonly loadClass: string;
  readonly prompt: string;
  readonly clientMessageId?: string;
  readonly metadata?: JsonObject;
}

export type EnqueueOutcome =
  | { readonly outcome: 'queued' | 'exists'; readonly turn: Turn }
  | { readonly outcome: 'thread_not_found' | 'thread_archived' };

export type TurnOutcome =
  | { readonly outcome: 'changed'; readonly turn: Turn }
  /** N1: it had ended, or was started, before. */
  | { readonly outcome: 'unchanged'; readonly turn: Turn }
  | { readonly outcome: 'not_found' | 'epoch_stale' };

/** Which turn, and with what right: the epoch of its session's lease. */
export interface TurnFence {
  readonly id: string;
  readonly epoch: number;
}

export interface Turns {
  /** Newest first. */
  list(query?: Page & { threadId?: string; status?: TurnStatus }): Promise<Listing<Turn>>;
  get(id: string): Promise<Turn | undefined>;
  enqueue(input: { turn: NewTurn; audit: AuditEntry }): Promise<EnqueueOutcome>;
  start(
    input: TurnFence & { runId?: string; deadlineAtMs: number; audit: AuditEntry },
  ): Promise<TurnOutcome>;
  progress(input: TurnFence & { progress: JsonObject }): Promise<TurnOutcome>;
  finish(
    input: TurnFence & {
      status: FinalStatus;
      resultCode: string;
      result: JsonObject;
      artifacts?: Json;
      audit: AuditEntry;
    },
  ): Promise<TurnOutcome>;
}

export function createTurns(context: AccountContext): Turns {
  const { runner, accountId, clock } = context;
  return {
    list: ({ threadId, status, ...page } = {}) =>
      selectPage(runner, selectTurns, { page, values: { accountId, threadId, status } }),
    get: async (id) => {
      const [row] = await runner.select(selectTurn, { accountId, id });
      return toOptionalRecord(row);
    },
    enqueue: ({ turn, audit }) =>
      auditedWrite<EnqueueOutcome>(context, audit, (db) => enqueue(db, context, turn)),
    start: ({ id, epoch, runId, deadlineAtMs, audit }) =>
      auditedWrite<TurnOutcome>(context, audit, (db) =>
        changeTurn(db, context, {
          fence: { id, epoch },
          from: ['queued'],
          set: {
            status: 'running',
            run_id: runId ?? null,
            started_at_ms: clock.wallMs(),
            deadline_at_ms: deadlineAtMs,
          },
          thread: () => ({ lifecycle_status: 'running', pending_turn_id: null }),
        }),
      ),
    progress: ({ id, epoch, progress }) =>
      runner.write(async (db) => {
        const change = await changeTurn(db, context, {
          fence: { id, epoch },
          from: ['queued', 'running'],
          set: { progress_json: formatJson(progress) },
        });
        return change.value;
      }),
    finish: ({ id, epoch, status, resultCode, result, artifacts, audit }) =>
      auditedWrite<TurnOutcome>(context, audit, async (db) => {
        const change = await changeTurn(db, context, {
          fence: { id, epoch },
          from: ['queued', 'running'],
          set: {
            status,
            result_json: formatJson(result),
            artifacts_json: artifacts === undefined ? null : formatJson(artifacts),
            ended_at_ms: clock.wallMs(),
          },
        });
        if (change.isChanged) await settleThread(db, accountId, { id, resultCode });
        return change;
      }),
  };
}

interface TurnFilter {
  readonly accountId: AccountId;
  readonly threadId: string | undefined;
  readonly status: TurnStatus | undefined;
}

const selectTurns = createSelect(
  (db, { accountId, threadId, status, ...page }: PageValues<TurnFilter>) => {
    let all = db.selectFrom('turns').where('account_id', '=', accountId);
    if (threadId !== undefined) all = all.where('thread_id', '=', threadId);
    if (status !== undefined) all = all.where('status', '=', status);
    return pageOf(all.orderBy('queued_at_ms', 'desc').orderBy('id'), page);
  },
);

const selectTurn = createSelect(
  (db, { accountId, id }: { readonly accountId: AccountId; readonly id: string }) =>
    whereTurn(db, accountId, id),
);

function whereTurn(db: Database, accountId: AccountId, id: string) {
  return db
    .selectFrom('turns')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('id', '=', id);
}

async function enqueue(
  db: Database,
  context: AccountContext,
  turn: NewTurn,
): Promise<Change<EnqueueOutcome>> {
  const { accountId, clock, random } = context;
  const thread = await db
    .selectFrom('threads')
    .select(['session_id', 'lifecycle_status'])
    .where('account_id', '=', accountId)
    .where('id', '=', turn.threadId)
    .executeTakeFirst();
  if (thread === undefined) return unchanged({ outcome: 'thread_not_found' });
  const known = await findByMessage(db, context, turn);
  if (known !== undefined) return unchanged({ outcome: 'exists', turn: toRecord(known) });
  if (thread.lifecycle_status === 'archived') return unchanged({ outcome: 'thread_archived' });
  const id = random.id();
  const nowMs = clock.wallMs();
  const row = await db
    .insertInto('turns')
    .values({
      account_id: accountId,
      id,
      thread_id: turn.threadId,
      session_id: thread.session_id,
      run_id: null,
      status: 'queued',
      agent: checkText('agent', turn.agent),
      model: turn.model === undefined ? null : checkText('model', turn.model),
      load_class: turn.loadClass,
      prompt: checkText('prompt', turn.prompt),
      client_message_id: turn.clientMessageId ?? null,
      metadata_json: turn.metadata === undefined ? null : formatJson(turn.metadata),
      progress_json: null,
      result_json: null,
      artifacts_json: null,
      queued_at_ms: nowMs,
      started_at_ms: null,
      deadline_at_ms: null,
      ended_at_ms: null,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  await db
    .updateTable('threads')
    .set((eb) => ({
      lifecycle_status: eb
        .case()
        .when('lifecycle_status', '=', 'running')
        .then('running' as const)
        .else('queued' as const)
        .end(),
      last_turn_id: id,
      pending_turn_id: id,
      updated_at_ms: nowMs,
    }))
    .where('account_id', '=', accountId)
    .where('id', '=', turn.threadId)
    .execute();
  return changed({ outcome: 'queued', turn: toRecord(row) }, id);
}

async function findByMessage(
  db: Database,
  { accountId }: AccountContext,
  { threadId, clientMessageId }: NewTurn,
): Promise<TurnsTable | undefined> {
  if (clientMessageId === undefined) return undefined;
  return await db
    .selectFrom('turns')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('thread_id', '=', threadId)
    .where('client_message_id', '=', checkText('clientMessageId', clientMessageId))
    .executeTakeFirst();
}

interface TurnChange {
  readonly fence: TurnFence;
  readonly from: readonly TurnStatus[];
  readonly set: Partial<TurnsTable>;
  readonly thread?: () => Partial<ThreadsTable>;
}

async function changeTurn(
  db: Database,
  context: AccountContext,
  { fence: { id, epoch }, from, set, thread }: TurnChange,
): Promise<Change<TurnOutcome>> {
  const { accountId, clock } = context;
  const old = await whereTurn(db, context.accountId, id).executeTakeFirst();
  if (old === undefined) return unchanged({ outcome: 'not_found' });
  if ((await readEpoch(db, accountId, old.session_id)) !== epoch) {
    return unchanged({ outcome: 'epoch_stale' });
  }
  if (!from.includes(old.status)) return unchanged({ outcome: 'unchanged', turn: toRecord(old) });
  const row = await db
    .updateTable('turns')
    .set(set)
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
  if (thread !== undefined) {
    await db
      .updateTable('threads')
      .set({ ...thread(), updated_at_ms: clock.wallMs() })
      .where('account_id', '=', accountId)
      .where('id', '=', old.thread_id)
      .execute();
  }
  return changed({ outcome: 'changed', turn: toRecord(row) }, id);
}

/** N3: what else of the thread is under way decides what it is now. */
async function settleThread(
  db: Database,
  accountId: string,
  { id, resultCode }: { readonly id: string; readonly resultCode: string },
): Promise<void> {
  const { thread_id: threadId, ended_at_ms: endedAtMs } = await db
    .selectFrom('turns')
    .select(['thread_id', 'ended_at_ms'])
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  const open = await db
    .selectFrom('turns')
    .select(['id', 'status'])
    .where('account_id', '=', accountId)
    .where('thread_id', '=', threadId)
    .where('ended_at_ms', 'is', null)
    .orderBy('queued_at_ms')
    .orderBy('id')
    .execute();
  const isRunning = open.some(({ status }) => status === 'running');
  const pending = open.find(({ status }) => status === 'queued');
  const idle = pending === undefined ? 'ready' : 'queued';
  await db
    .updateTable('threads')
    .set({
      lifecycle_status: isRunning ? 'running' : idle,
      pending_turn_id: pending?.id ?? null,
      last_result_code: resultCode,
      updated_at_ms: endedAtMs ?? 0,
    })
    .where('account_id', '=', accountId)
    .where('id', '=', threadId)
    .execute();
}
