/*
 * The one queue of turns, over all accounts: what runs, what could run, and who waits where.
 *
 * A look at the queue reads what runs, which lanes have turns that are ready, and the first few of each. So it costs the same whether ten
 * turns wait behind them or ten thousand. A count of what waits is for people who ask.
 */
import type {
  LaneWaiting,
  QueueRecords,
  QueueSpot,
  ReadyLane,
  ReadyTurn,
  ReadyWanted,
  WaitingTurn,
} from '@clawdfather/agents';
import type { AccountId } from '@clawdfather/kit';
import type { QueryContext } from '../context.ts';
import type { Runner } from '../engine.ts';
import { readyLanesMax } from '../limits.ts';
import { parseAccountId } from './accounts.ts';
import {
  countAccountWaiting,
  countAgentWaiting,
  countAhead,
  countAllWaiting,
  countLanes,
  selectBefore,
  selectLast,
  selectLastKey,
  selectNextReadyLane,
  selectOverdue,
  selectQueue,
  selectReady,
  selectRunning,
  selectWaitingTurn,
} from './queue-selects.ts';

export function createQueue({ runner }: Pick<QueryContext, 'runner'>): QueueRecords {
  return {
    running: async () =>
      (await runner.select(selectRunning, {})).map((row) => ({
        accountId: parseAccountId(row.account_id),
        threadId: row.thread_id,
        turnId: row.id,
        agent: row.agent,
        instanceId: row.instance_id ?? undefined,
        startedAtMs: row.started_at_ms ?? 0,
        isOnHost: row.connection_id !== null,
      })),
    readyLanes: () => readyLanes(runner),
    ready: (wanted) => readyTurns(runner, wanted),
    overdue: async (wanted) => (await runner.select(selectOverdue, wanted)).map(readyOf),
    counts: async () =>
      (await runner.select(countLanes, {})).map(({ account_id, agent, running, waiting }) => ({
        accountId: parseAccountId(account_id),
        agent,
        running,
        waiting,
      })),
    waitingIn: async ({ agent, accountId }) => {
      const [row] =
        agent !== undefined
          ? await runner.select(countAgentWaiting, { agent })
          : accountId !== undefined
            ? await runner.select(countAccountWaiting, { accountId })
            : await runner.select(countAllWaiting, {});
      return laneOf(row);
    },
    page: async (accountId, limit) => {
      const items = (await runner.select(selectQueue, { accountId, limit })).map(waitingOf);
      const [row] = await runner.select(countAccountWaiting, { accountId });
      return { items, total: row?.waiting ?? items.length };
    },
    placeOf: (accountId, turnId) => placeOf(runner, accountId, turnId),
    lastKey: async (accountId) => {
      const [row] = await runner.select(selectLastKey, { accountId });
      return row?.queue_key ?? undefined;
    },
    neighbours: async (accountId, { spot, exceptId = '' }) => {
      const [last] = await runner.select(selectLast, { accountId, exceptId });
      const [before] =
        spot === undefined
          ? []
          : await runner.select(selectBefore, { accountId, exceptId, ...spot });
      return { before: before && spotOf(before), last: last && spotOf(last) };
    },
  };
}

/** One step of the index for each: with a million turns in one lane, there is one to read. */
async function readyLanes(runner: Runner): Promise<readonly ReadyLane[]> {
  const lanes: ReadyLane[] = [];
  let after = { account: '', agent: '' };
  while (lanes.length < readyLanesMax) {
    const [row] = await runner.select(selectNextReadyLane, after);
    if (row === undefined) break;
    lanes.push({ accountId: parseAccountId(row.account_id), agent: row.agent });
    after = { account: row.account_id, agent: row.agent };
  }
  return lanes;
}

async function readyTurns(
  runner: Runner,
  { lanes, instanceId, atMs, perLaneMax, hasAgentOnly }: ReadyWanted,
): Promise<readonly ReadyTurn[]> {
  const found: ReadyTurn[] = [];
  for (const { accountId, agent } of lanes) {
    const values = {
      accountId,
      agent,
      instanceId,
      atMs,
      limit: perLaneMax,
      hasAgentOnly: hasAgentOnly ? 1 : undefined,
    };
    found.push(...(await runner.select(selectReady, values)).map(readyOf));
  }
  return found;
}

async function placeOf(runner: Runner, accountId: AccountId, turnId: string) {
  const [row] = await runner.select(selectWaitingTurn, { accountId, turnId });
  if (row === undefined) return undefined;
  const spot = { priority: row.priority, queueKey: row.queue_key, place: row.place, id: turnId };
  const [counted] = await runner.select(countAhead, { accountId, ...spot });
  return { ...waitingOf(row), ahead: counted?.ahead ?? 0 };
}

interface SpotRow {
  readonly priority: number;
  readonly queue_key: number;
}

const spotOf = ({ priority, queue_key }: SpotRow): QueueSpot => ({ priority, queueKey: queue_key });

interface ReadyRow extends SpotRow {
  readonly account_id: string;
  readonly thread_id: string;
  readonly id: string;
  readonly place: number;
  readonly agent: string;
  readonly ready_at_ms: number | null;
  readonly run_instance_id: string | null;
  readonly connection_id: string | null;
}

function readyOf(row: ReadyRow): ReadyTurn {
  return {
    ...spotOf(row),
    accountId: parseAccountId(row.account_id),
    threadId: row.thread_id,
    turnId: row.id,
    place: row.place,
    agent: row.agent,
    readyAtMs: row.ready_at_ms ?? 0,
    hasAgent: row.run_instance_id !== null,
    isOnHost: row.connection_id !== null,
  };
}

interface WaitingRow extends Omit<ReadyRow, 'account_id'> {
  readonly queued_at_ms: number;
  readonly not_before_ms: number | null;
}

function waitingOf(row: WaitingRow): WaitingTurn {
  return {
    ...spotOf(row),
    threadId: row.thread_id,
    turnId: row.id,
    agent: row.agent,
    queuedAtMs: row.queued_at_ms,
    readyAtMs: row.ready_at_ms ?? undefined,
    notBeforeMs: row.not_before_ms ?? undefined,
    agentInstanceId: row.run_instance_id ?? undefined,
    isOnHost: row.connection_id !== null,
  };
}

function laneOf(
  row: { readonly waiting: number; readonly oldest: number | null } | undefined,
): LaneWaiting {
  return { waiting: row?.waiting ?? 0, oldestQueuedAtMs: row?.oldest ?? undefined };
}
