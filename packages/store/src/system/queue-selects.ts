/*
 * The reads of the queue, each compiled once. Each is answered by an index of what waits or what runs (migration 14); for that the words
 * are part of the statement, as in account/threads/selects.ts.
 */
import { sql } from 'kysely';
import type { Database } from '../engine.ts';
import { createSelect } from '../select.ts';

/** A left join, although each has one: so it is looked up for each turn that was found, and nothing begins with the threads. */
function withThread(db: Database) {
  return db
    .selectFrom('turns')
    .leftJoin('threads', (join) =>
      join
        .onRef('threads.account_id', '=', 'turns.account_id')
        .onRef('threads.id', '=', 'turns.thread_id'),
    );
}

export const selectRunning = createSelect((db, _values: object) =>
  withThread(db)
    .select(['turns.account_id', 'turns.thread_id', 'turns.id', 'turns.agent'])
    .select(['turns.instance_id', 'turns.started_at_ms', 'threads.connection_id'])
    .where('turns.ended_at_ms', 'is', null)
    .where('turns.status', '=', sql.lit('running')),
);

interface LaneAfter {
  readonly account: string;
  readonly agent: string;
}

export const selectNextReadyLane = createSelect((db, { account, agent }: LaneAfter) =>
  db
    .selectFrom('turns')
    .select(['account_id', 'agent'])
    .where('ready_at_ms', 'is not', null)
    .where(sql<boolean>`(account_id, agent) > (${account}, ${agent})`)
    .orderBy('account_id')
    .orderBy('agent')
    .limit(sql.lit(1)),
);

const turnColumns = [
  'turns.account_id',
  'turns.thread_id',
  'turns.id',
  'turns.agent',
  'turns.priority',
  'turns.queue_key',
  'turns.place',
  'turns.queued_at_ms',
  'turns.ready_at_ms',
  'turns.not_before_ms',
] as const;

/** With the gateway at which the agent of its thread runs, and the host that it is on. */
function withRun(db: Database) {
  return withThread(db)
    .leftJoin('agent_runs', (join) =>
      join
        .onRef('agent_runs.account_id', '=', 'turns.account_id')
        .onRef('agent_runs.thread_id', '=', 'turns.thread_id')
        .on('agent_runs.ended_at_ms', 'is', null),
    )
    .select(turnColumns)
    .select(['agent_runs.instance_id as run_instance_id', 'threads.connection_id']);
}

interface ReadyValues {
  readonly accountId: string;
  readonly agent: string;
  readonly instanceId: string;
  readonly atMs: number;
  readonly limit: number;
  readonly hasAgentOnly: number | undefined;
}

export const selectReady = createSelect(
  (db, { accountId, agent, instanceId, atMs, limit, hasAgentOnly }: ReadyValues) => {
    const ready = withRun(db)
      .where('turns.ready_at_ms', 'is not', null)
      .where('turns.account_id', '=', accountId)
      .where('turns.agent', '=', agent)
      .where(sql<boolean>`(turns.not_before_ms IS NULL OR turns.not_before_ms <= ${atMs})`);
    const mine = sql<boolean>`agent_runs.instance_id = ${instanceId}`;
    const none = sql<boolean>`agent_runs.instance_id IS NULL`;
    const admissible =
      hasAgentOnly === undefined
        ? ready.where(sql<boolean>`(${none} OR ${mine})`)
        : ready
            .where(sql<boolean>`((${none} AND threads.connection_id IS NOT NULL) OR ${mine})`)
            // The slot has to be part of the statement.
            .where(sql<boolean>`${hasAgentOnly} = 1`);
    return admissible
      .orderBy('turns.priority', 'desc')
      .orderBy('turns.queue_key')
      .orderBy('turns.place')
      .orderBy('turns.id')
      .limit(limit);
  },
);

interface OverdueValues {
  readonly agent: string;
  readonly readyBeforeMs: number;
  readonly limit: number;
}

export const selectOverdue = createSelect((db, { agent, readyBeforeMs, limit }: OverdueValues) =>
  withRun(db)
    .where('turns.ready_at_ms', 'is not', null)
    .where('turns.agent', '=', agent)
    .where('turns.ready_at_ms', '<', readyBeforeMs)
    .where(sql<boolean>`(turns.not_before_ms IS NULL OR turns.not_before_ms < ${readyBeforeMs})`)
    .orderBy('turns.ready_at_ms')
    .limit(limit),
);

/* --- For people ----------------------------------------------------------------- */

interface OfAccount {
  readonly accountId: string;
}

function queueOf(db: Database, accountId: string) {
  return withRun(db)
    .where('turns.account_id', '=', accountId)
    .where('turns.status', '=', sql.lit('queued'));
}

export const selectQueue = createSelect(
  (db, { accountId, limit }: OfAccount & { readonly limit: number }) =>
    queueOf(db, accountId)
      .orderBy('turns.priority', 'desc')
      .orderBy('turns.queue_key')
      .orderBy('turns.place')
      .orderBy('turns.id')
      .limit(limit),
);

export const selectWaitingTurn = createSelect(
  (db, { accountId, turnId }: OfAccount & { readonly turnId: string }) =>
    queueOf(db, accountId).where('turns.id', '=', turnId),
);

interface PlaceValues extends OfAccount {
  readonly priority: number;
  readonly queueKey: number;
  readonly place: number;
  readonly id: string;
}

export const countAhead = createSelect(
  (db, { accountId, priority, queueKey, place, id }: PlaceValues) =>
    db
      .selectFrom('turns')
      .select((eb) => eb.fn.countAll<number>().as('ahead'))
      .where('account_id', '=', accountId)
      .where('status', '=', sql.lit('queued'))
      .where('priority', '>=', priority)
      .where(
        sql<boolean>`(priority > ${priority} OR (queue_key, place, id) < (${queueKey}, ${place}, ${id}))`,
      ),
);

interface Around extends OfAccount {
  readonly exceptId: string;
}

export const selectLastKey = createSelect((db, { accountId }: OfAccount) =>
  db
    .selectFrom('turns')
    .select((eb) => eb.fn.max('queue_key').as('queue_key'))
    .where('account_id', '=', accountId)
    .where('status', '=', sql.lit('queued')),
);

export const selectLast = createSelect((db, { accountId, exceptId }: Around) =>
  db
    .selectFrom('turns')
    .select(['priority', 'queue_key'])
    .where('account_id', '=', accountId)
    .where('status', '=', sql.lit('queued'))
    .where('id', '!=', exceptId)
    .orderBy('priority', 'asc')
    .orderBy('queue_key', 'desc')
    .orderBy('place', 'desc')
    .orderBy('id', 'desc')
    .limit(sql.lit(1)),
);

export const selectBefore = createSelect(
  (
    db,
    {
      accountId,
      exceptId,
      priority,
      queueKey,
    }: Around & { readonly priority: number; readonly queueKey: number },
  ) =>
    db
      .selectFrom('turns')
      .select(['priority', 'queue_key'])
      .where('account_id', '=', accountId)
      .where('status', '=', sql.lit('queued'))
      .where('id', '!=', exceptId)
      .where('priority', '=', priority)
      .where('queue_key', '<', queueKey)
      .orderBy('queue_key', 'desc')
      .limit(sql.lit(1)),
);

const waitingOf = (db: Database) =>
  db
    .selectFrom('turns')
    .select((eb) => eb.fn.countAll<number>().as('waiting'))
    .select((eb) => eb.fn.min('queued_at_ms').as('oldest'))
    .where('status', '=', sql.lit('queued'));

export const countAgentWaiting = createSelect((db, { agent }: { readonly agent: string }) =>
  waitingOf(db).where('agent', '=', agent),
);

export const countAccountWaiting = createSelect((db, { accountId }: OfAccount) =>
  waitingOf(db).where('account_id', '=', accountId),
);

export const countAllWaiting = createSelect((db, _values: object) =>
  waitingOf(db).where('ended_at_ms', 'is', null),
);

export const countLanes = createSelect((db, _values: object) => {
  const count = (status: 'running' | 'queued') =>
    sql<number>`count(CASE WHEN status = ${sql.lit(status)} THEN 1 END)`;
  return db
    .selectFrom('turns')
    .select(['account_id', 'agent'])
    .select([count('running').as('running'), count('queued').as('waiting')])
    .where('ended_at_ms', 'is', null)
    .where('status', 'in', [sql.lit('running' as const), sql.lit('queued' as const)])
    .groupBy(['account_id', 'agent']);
});
