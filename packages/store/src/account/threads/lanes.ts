/*
 * Whether the lanes have room for a change, counted in its transaction. Two that take the last room at once cannot both be committed (B1):
 * SQLite has one writer, and PostgreSQL rolls one of the two back, because each has counted what the other has changed. It runs again and
 * finds the lane full.
 *
 * What runs is few, and found by an index of what runs. What waits is counted up to the limit and no further.
 */
import type { LaneClaim, LaneFull, LaneName, LaneNumbers } from '@clawdfather/agents';
import { sql } from 'kysely';
import { createSelect, type SelectTarget } from '../../select.ts';

interface LaneKeys {
  readonly accountId: string;
  readonly agent: string;
}

const laneNames = ['agent', 'account', 'gateway'] as const satisfies readonly LaneName[];

/** The first of the three that has no room. */
export async function findFullLane(
  target: SelectTarget,
  claim: LaneClaim,
  { accountId, agent }: LaneKeys,
): Promise<LaneFull | undefined> {
  const keys = { accountId, agent };
  const counts =
    claim.kind === 'admit'
      ? await countRunning(target, { ...keys, instanceId: claim.instanceId })
      : await countWaiting(target, keys, claim.below);
  const lane = laneNames.find((name) => counts[name] >= claim.below[name]);
  if (lane === undefined) return undefined;
  return { outcome: 'lane-full', lane, count: counts[lane], max: claim.below[lane] };
}

async function countRunning(
  target: SelectTarget,
  values: LaneKeys & { readonly instanceId: string },
): Promise<LaneNumbers> {
  const { rows } = await target.db.executeQuery(selectRunningCounts.bind(target, values));
  const [row] = rows;
  return { agent: row?.agent ?? 0, account: row?.account ?? 0, gateway: row?.gateway ?? 0 };
}

async function countWaiting(
  target: SelectTarget,
  { accountId, agent }: LaneKeys,
  below: LaneNumbers,
): Promise<LaneNumbers> {
  const { rows } = await target.db.executeQuery(
    selectWaitingCounts.bind(target, {
      accountId,
      agent,
      agentMax: below.agent,
      accountMax: below.account,
      gatewayMax: below.gateway,
    }),
  );
  const [row] = rows;
  return { agent: row?.agent ?? 0, account: row?.account ?? 0, gateway: row?.gateway ?? 0 };
}

export const selectRunningCounts = createSelect(
  (db, { accountId, agent, instanceId }: LaneKeys & { readonly instanceId: string }) => {
    const count = (column: string, value: string) =>
      sql<number>`count(CASE WHEN ${sql.ref(column)} = ${value} THEN 1 END)`;
    return db
      .selectFrom('turns')
      .select([
        count('agent', agent).as('agent'),
        count('account_id', accountId).as('account'),
        count('instance_id', instanceId).as('gateway'),
      ])
      .where('ended_at_ms', 'is', null)
      .where('status', '=', sql.lit('running'));
  },
);

interface WaitingValues extends LaneKeys {
  readonly agentMax: number;
  readonly accountMax: number;
  readonly gatewayMax: number;
}

export const selectWaitingCounts = createSelect(
  (db, { accountId, agent, agentMax, accountMax, gatewayMax }: WaitingValues) => {
    const waiting = db
      .selectFrom('turns')
      .select(sql<number>`1`.as('one'))
      .where('ended_at_ms', 'is', null)
      .where('status', '=', sql.lit('queued'));
    const counted = (rows: typeof waiting, max: number) =>
      sql<number>`(SELECT count(*) FROM ${rows.limit(max)} AS counted)`;
    return db.selectNoFrom([
      counted(waiting.where('agent', '=', agent), agentMax).as('agent'),
      counted(waiting.where('account_id', '=', accountId), accountMax).as('account'),
      counted(waiting, gatewayMax).as('gateway'),
    ]);
  },
);
