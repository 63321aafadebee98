/*
 * Threads of all accounts that a gateway has to look after, and what is left of agents that ended long ago.
 */
import type { DueThreads, ThreadName } from '@clawdfather/agents';
import { sql } from 'kysely';
import type { QueryContext } from '../context.ts';
import type { Database, Runner } from '../engine.ts';
import { cleanupBatchesMax, runsForgottenAtOnce } from '../limits.ts';
import { createSelect } from '../select.ts';
import { parseAccountId } from './accounts.ts';

export function createDueThreads({ runner }: Pick<QueryContext, 'runner'>): DueThreads {
  return {
    withRuns: async (instanceId) =>
      (await runner.select(selectWithRuns, { instanceId })).map(nameOf),
    withTurns: async () => (await runner.select(selectWithTurns, {})).map(nameOf),
    elsewhere: async (instanceId) =>
      (await runner.select(selectElsewhere, { instanceId })).map((row) => ({
        ...nameOf(row),
        turnId: row.turn_id,
        instanceId: row.instance_id,
        ...(row.beat === null ? {} : { beat: row.beat }),
      })),
    runningTurns: async () => {
      const [row] = await runner.select(countRunning, {});
      return row?.turns ?? 0;
    },
    waitingTurns: async () => {
      const [row] = await runner.select(countWaiting, {});
      return row?.turns ?? 0;
    },
    forgetRunsBefore: (atMs) => forgetRunsBefore(runner, atMs),
  };
}

function nameOf({
  account_id,
  thread_id,
}: {
  readonly account_id: string;
  readonly thread_id: string;
}): ThreadName {
  return { accountId: parseAccountId(account_id), id: thread_id };
}

export const selectWithRuns = createSelect((db, { instanceId }: { readonly instanceId: string }) =>
  db
    .selectFrom('agent_runs')
    .select(['account_id', 'thread_id'])
    .where('instance_id', '=', instanceId)
    .where('ended_at_ms', 'is', null)
    .orderBy('started_at_ms')
    .orderBy('run_id'),
);

export const selectWithTurns = createSelect((db, _values: object) =>
  db
    .selectFrom('turns')
    .select(['account_id', 'thread_id'])
    .where('ended_at_ms', 'is', null)
    .groupBy(['account_id', 'thread_id'])
    .orderBy((eb) => eb.fn.min('queued_at_ms'))
    .orderBy('thread_id'),
);

/** Those that run at another gateway: the one that has the agent, or the one that is to start it. */
export const selectElsewhere = createSelect(
  (db, { instanceId }: { readonly instanceId: string }) => {
    const at = sql<string>`coalesce(agent_runs.instance_id, turns.instance_id)`;
    return db
      .selectFrom('turns')
      .leftJoin('agent_runs', (join) =>
        join
          .onRef('agent_runs.account_id', '=', 'turns.account_id')
          .onRef('agent_runs.thread_id', '=', 'turns.thread_id')
          .on('agent_runs.ended_at_ms', 'is', null),
      )
      .leftJoin('gateway_instances', (join) => join.on('gateway_instances.id', '=', at))
      .select(['turns.account_id', 'turns.thread_id', 'turns.id as turn_id'])
      .select(at.as('instance_id'))
      .select(
        sql<
          string | null
        >`gateway_instances.generation || ' ' || gateway_instances.heartbeat_at_ms`.as('beat'),
      )
      .where('turns.ended_at_ms', 'is', null)
      .where('turns.status', '=', sql.lit('running'))
      .where(at, '!=', instanceId)
      .orderBy('turns.queued_at_ms')
      .orderBy('turns.id');
  },
);

const countTurns = (status: 'running' | 'queued') =>
  createSelect((db, _values: object) =>
    db
      .selectFrom('turns')
      .select((eb) => eb.fn.countAll<number>().as('turns'))
      .where('ended_at_ms', 'is', null)
      .where('status', '=', sql.lit(status)),
  );

export const countRunning = countTurns('running');
export const countWaiting = countTurns('queued');

/** In transactions of a few runs each. What is left beyond the limit is for the next call. */
export async function forgetRunsBefore(runner: Runner, atMs: number): Promise<number> {
  let total = 0;
  for (let batch = 0; batch < cleanupBatchesMax; batch += 1) {
    const forgotten = await runner.write((db) => forgetSome(db, atMs));
    total += forgotten;
    if (forgotten < runsForgottenAtOnce) break;
  }
  return total;
}

/** Calls, asks and frames go with their run, by their foreign keys. */
async function forgetSome(db: Database, atMs: number): Promise<number> {
  const runs = await db
    .selectFrom('agent_runs')
    .select(['account_id', 'run_id'])
    .where('ended_at_ms', '<', atMs)
    .orderBy('ended_at_ms')
    .limit(runsForgottenAtOnce)
    .execute();
  for (const { account_id: accountId, run_id: runId } of runs) {
    const named = await db
      .selectFrom('acp_asks')
      .select('params_hash as hash')
      .where('account_id', '=', accountId)
      .where('run_id', '=', runId)
      .where('params_hash', 'is not', null)
      .execute();
    await db
      .deleteFrom('agent_runs')
      .where('account_id', '=', accountId)
      .where('run_id', '=', runId)
      .execute();
    for (const { hash } of named) await removeUnnamed(db, accountId, hash);
  }
  return runs.length;
}

/** A blob that neither an event nor a turn nor another ask names. */
async function removeUnnamed(db: Database, accountId: string, hash: string | null): Promise<void> {
  const isUnnamed = (table: string, column: string) =>
    sql<boolean>`NOT EXISTS (SELECT 1 FROM ${sql.table(table)} AS named
      WHERE named.account_id = ${accountId} AND named.${sql.ref(column)} = ${hash})`;
  await db
    .deleteFrom('blobs')
    .where('account_id', '=', accountId)
    .where('hash', '=', hash)
    .where(isUnnamed('turn_events', 'payload_hash'))
    .where(isUnnamed('turns', 'prompt_hash'))
    .where(isUnnamed('acp_asks', 'params_hash'))
    .execute();
}
