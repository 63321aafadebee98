/*
 * The reads of threads, each compiled once. Open things are found by an index that has only the open ones; for that the words are part of
 * the statement, because a database compares an index's condition with the statement and not with its values.
 */
import type { ThreadStatus } from '@clawdfather/agents';
import type { RunId } from '@clawdfather/supervisor';
import { type Expression, type RawBuilder, sql } from 'kysely';
import type { Database } from '../../engine.ts';
import type { JsonText } from '../../schema/json-text.ts';
import { createSelect, pageOf, type PageValues } from '../../select.ts';

interface OfAccount {
  readonly accountId: string;
}

interface OfRow extends OfAccount {
  readonly id: string;
}

interface OfThread extends OfAccount {
  readonly threadId: string;
}

interface OfRun extends OfAccount {
  readonly runId: RunId;
}

/* --- Threads ------------------------------------------------------------------ */

export const selectThread = createSelect((db, { accountId, threadId }: OfThread) =>
  db
    .selectFrom('threads')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('id', '=', threadId),
);

export const selectVersion = createSelect((db, { accountId, threadId }: OfThread) =>
  db
    .selectFrom('threads')
    .select('version')
    .where('account_id', '=', accountId)
    .where('id', '=', threadId),
);

interface ThreadsWanted extends OfAccount {
  readonly status: ThreadStatus | undefined;
  readonly withArchived: number | undefined;
  readonly onlyPinned: number | undefined;
  readonly idPrefix: string | undefined;
  readonly idPrefixLength: number | undefined;
  readonly rootId: string | undefined;
}

export const selectThreads = createSelect(
  (db, { accountId, status, withArchived, ...rest }: PageValues<ThreadsWanted>) => {
    const { onlyPinned, idPrefix, idPrefixLength, rootId, ...page } = rest;
    let threads = db.selectFrom('threads').where('account_id', '=', accountId);
    if (status !== undefined) threads = threads.where('status', '=', status);
    else if (withArchived === undefined) {
      threads = threads.where('status', '!=', sql.lit('archived'));
    }
    if (onlyPinned !== undefined) threads = threads.where('pinned_at_ms', 'is not', null);
    if (idPrefix !== undefined) {
      threads = threads.where(sql`substr(id, 1, ${idPrefixLength})`, '=', idPrefix);
    }
    if (rootId !== undefined) threads = threads.where('root_id', '=', rootId);
    return pageOf(threads.orderBy('created_at_ms', 'desc').orderBy('id'), page);
  },
);

/* --- Runs --------------------------------------------------------------------- */

export const selectLiveRun = createSelect((db, { accountId, threadId }: OfThread) =>
  db
    .selectFrom('agent_runs')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('thread_id', '=', threadId)
    .where('ended_at_ms', 'is', null),
);

export const selectEndedRuns = createSelect((db, { accountId, threadId }: OfThread) =>
  db
    .selectFrom('agent_runs')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('thread_id', '=', threadId)
    .where('ended_at_ms', 'is not', null)
    .orderBy('ended_at_ms', 'desc')
    .orderBy('run_id'),
);

export const selectSentCalls = createSelect((db, { accountId, runId }: OfRun) =>
  db
    .selectFrom('acp_calls')
    .select(['id', 'method', 'turn_id', 'input_offset', 'state'])
    .where('account_id', '=', accountId)
    .where('run_id', '=', runId)
    .where('state', '=', sql.lit('sent'))
    .orderBy('id'),
);

export const selectFrames = createSelect(
  (db, { accountId, runId, from }: OfRun & { readonly from: number }) =>
    db
      .selectFrom('acp_frames')
      .select(['input_offset', 'text'])
      .where('account_id', '=', accountId)
      .where('run_id', '=', runId)
      .where('input_end', '>', from)
      .orderBy('input_end'),
);

/* --- Turns -------------------------------------------------------------------- */

const turnColumns = [
  'turns.id',
  'turns.status',
  'turns.load_class',
  'turns.artifact_dirs_json',
  'turns.requester',
  'turns.client_message_id',
  'turns.message_hash',
  'turns.trace',
  'turns.wake_id',
  'turns.run_id',
  'turns.prompt_call',
  'turns.prompt_end',
  'turns.requeued_count',
  'turns.cancel_asked_at_ms',
  'turns.cancel_cause',
  'turns.cancel_actor',
  'turns.usage_json',
  'turns.result_json',
  'turns.reaching_json',
  'turns.first_output_at_ms',
  'turns.queued_at_ms',
  'turns.priority',
  'turns.queue_key',
  'turns.not_before_ms',
  'turns.ready_at_ms',
  'turns.instance_id',
  'turns.started_at_ms',
  'turns.deadline_at_ms',
  'turns.ended_at_ms',
] as const;

export function fromTurns(db: Database, accountId: string) {
  return db
    .selectFrom('turns')
    .leftJoin('blobs', (join) =>
      join
        .onRef('blobs.account_id', '=', 'turns.account_id')
        .onRef('blobs.hash', '=', 'turns.prompt_hash'),
    )
    .select(turnColumns)
    .select((eb) => whole(eb.ref('turns.prompt_json')).as('prompt_json'))
    .where('turns.account_id', '=', accountId);
}

/** What is in the row, or in the blob that the row names. */
function whole<Text extends JsonText>(inline: Expression<Text | null>): RawBuilder<Text> {
  return sql<Text>`coalesce(${inline}, blobs.body)`;
}

export const selectOpenTurns = createSelect((db, { accountId, threadId }: OfThread) =>
  fromTurns(db, accountId)
    .where('turns.thread_id', '=', threadId)
    .where('turns.ended_at_ms', 'is', null)
    .orderBy('turns.priority', 'desc')
    .orderBy('turns.queue_key')
    .orderBy('turns.place'),
);

/* Of all threads: what waits for an agent or is with one. */
export const selectOpenPrompts = createSelect((db, { accountId }: { readonly accountId: string }) =>
  db
    .selectFrom('turns')
    .leftJoin('blobs', (join) =>
      join
        .onRef('blobs.account_id', '=', 'turns.account_id')
        .onRef('blobs.hash', '=', 'turns.prompt_hash'),
    )
    .select((eb) => whole(eb.ref('turns.prompt_json')).as('prompt_json'))
    .where('turns.account_id', '=', accountId)
    .where('turns.ended_at_ms', 'is', null),
);

export const selectTurns = createSelect((db, { accountId, threadId }: OfThread) =>
  fromTurns(db, accountId).where('turns.thread_id', '=', threadId).orderBy('turns.place'),
);

export const selectTurn = createSelect((db, { accountId, id }: OfRow) =>
  fromTurns(db, accountId).select('turns.thread_id').where('turns.id', '=', id),
);

export const selectTurnOfMessage = createSelect(
  (db, { accountId, threadId, messageId }: OfThread & { readonly messageId: string }) =>
    fromTurns(db, accountId)
      .where('turns.thread_id', '=', threadId)
      .where('turns.client_message_id', '=', messageId),
);

/* --- Asks --------------------------------------------------------------------- */

const askColumns = [
  'acp_asks.id',
  'acp_asks.run_id',
  'acp_asks.cursor',
  'acp_asks.wire_id_json',
  'acp_asks.method',
  'acp_asks.class',
  'acp_asks.turn_id',
  'acp_asks.state',
  'acp_asks.asked_at_ms',
  'acp_asks.decision_json',
  'acp_asks.noted_ahead_at_ms',
  'acp_asks.effect_json',
] as const;

function fromAsks(db: Database, accountId: string) {
  return db
    .selectFrom('acp_asks')
    .leftJoin('blobs', (join) =>
      join
        .onRef('blobs.account_id', '=', 'acp_asks.account_id')
        .onRef('blobs.hash', '=', 'acp_asks.params_hash'),
    )
    .select(askColumns)
    .select((eb) => whole(eb.ref('acp_asks.params_json')).as('params_json'))
    .where('acp_asks.account_id', '=', accountId);
}

export const selectOpenAsksOfThread = createSelect((db, { accountId, threadId }: OfThread) =>
  fromAsks(db, accountId)
    .where('acp_asks.thread_id', '=', threadId)
    .where('acp_asks.state', 'in', [sql.lit('open' as const), sql.lit('acting' as const)])
    .orderBy('acp_asks.asked_at_ms')
    .orderBy('acp_asks.id'),
);

/** Those whose line is still to be consumed, also if they are answered. */
export const selectAsksAhead = createSelect((db, { accountId, runId }: OfRun) =>
  fromAsks(db, accountId)
    .where('acp_asks.run_id', '=', runId)
    .where('acp_asks.noted_ahead_at_ms', 'is not', null)
    .orderBy('acp_asks.asked_at_ms')
    .orderBy('acp_asks.id'),
);

export const selectOpenAsks = createSelect((db, { accountId }: OfAccount) =>
  fromAsks(db, accountId)
    .select('acp_asks.thread_id')
    .where('acp_asks.state', '=', sql.lit('open'))
    .orderBy('acp_asks.asked_at_ms')
    .orderBy('acp_asks.id'),
);

export const selectLastAsks = createSelect(
  (db, { accountId, limit }: OfAccount & { readonly limit: number }) =>
    fromAsks(db, accountId)
      .select('acp_asks.thread_id')
      .orderBy('acp_asks.asked_at_ms', 'desc')
      .orderBy('acp_asks.id', 'desc')
      .limit(limit),
);

export const selectAsk = createSelect((db, { accountId, id }: OfRow) =>
  fromAsks(db, accountId).select('acp_asks.thread_id').where('acp_asks.id', '=', id),
);

/* --- Events ------------------------------------------------------------------- */

interface EventsWanted extends OfThread {
  readonly after: number;
  readonly limit: number;
}

function fromEvents(db: Database, { accountId, threadId, after, limit }: EventsWanted) {
  return db
    .selectFrom('turn_events')
    .leftJoin('blobs', (join) =>
      join
        .onRef('blobs.account_id', '=', 'turn_events.account_id')
        .onRef('blobs.hash', '=', 'turn_events.payload_hash'),
    )
    .select(['turn_events.seq', 'turn_events.turn_id', 'turn_events.type', 'turn_events.at_ms'])
    .select((eb) => whole(eb.ref('turn_events.payload_json')).as('payload_json'))
    .where('turn_events.account_id', '=', accountId)
    .where('turn_events.thread_id', '=', threadId)
    .where('turn_events.seq', '>', after)
    .orderBy('turn_events.seq')
    .limit(limit);
}

export const selectEvents = createSelect((db, wanted: EventsWanted) => fromEvents(db, wanted));

export const selectDeltas = createSelect(
  (db, { turnId, ...wanted }: EventsWanted & { readonly turnId: string }) =>
    fromEvents(db, wanted)
      .where('turn_events.turn_id', '=', turnId)
      .where('turn_events.type', '=', sql.lit('delta')),
);
