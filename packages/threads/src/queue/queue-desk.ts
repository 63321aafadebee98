/*
 * The queue as people see it, read from the database: what runs, where a turn stands, how full the lanes are.
 */
import type { QueueRecords, WaitingTurn } from '@clawdfather/agents';
import type { AccountId } from '@clawdfather/kit';
import { type AdmissionDeps, startsNow } from './admission.ts';
import { countLanes } from './next-admissions.ts';
import { pollFacts } from './poll-facts.ts';
import { agentLane, longestWaitMs } from './queue-limits.ts';
import {
  type LaneView,
  type QueueDesk,
  type QueueNow,
  type QueuePlace,
  queueReason,
} from './queue-view.ts';

export type QueueDeskDeps = Pick<
  AdmissionDeps,
  'queue' | 'instanceId' | 'limits' | 'availableBytes' | 'clock'
>;

/* What one look shows of an account's queue. */
const shownMax = 100;

export function createQueueDesk(deps: QueueDeskDeps): QueueDesk {
  const { queue, instanceId, limits, clock } = deps;
  const now = async (accountId: AccountId): Promise<QueueNow> => {
    const running = await queue.running();
    const memory = await startsNow(deps, running);
    return { accountId, instanceId, limits, running, atMs: clock.wallMs(), ...memory };
  };
  const ofTurn: QueueDesk['ofTurn'] = async (accountId, turnId) => {
    const turn = await queue.placeOf(accountId, turnId);
    return turn && placeOf(turn, turn.ahead, await now(accountId));
  };
  return {
    ofAccount: async (accountId, { limit = shownMax } = {}) => {
      const { items, total } = await queue.page(accountId, limit);
      const state = await now(accountId);
      return {
        total,
        lanes: await lanesOf(queue, state, items),
        waiting: items.map((turn, index) => ({
          turnId: turn.turnId,
          threadId: turn.threadId,
          agent: turn.agent,
          priority: turn.priority,
          queuedAtMs: turn.queuedAtMs,
          notBeforeMs: turn.notBeforeMs,
          ...placeOf(turn, index, state),
        })),
      };
    },
    ofTurn,
    ofTurns: async (accountId, turns) => {
      const places = new Map<string, QueuePlace>();
      const queued = turns.filter(({ status }) => status === 'queued');
      if (queued.length === 0) return places;
      const state = await now(accountId);
      for (const { id } of queued) {
        const turn = await queue.placeOf(accountId, id);
        if (turn !== undefined) places.set(id, placeOf(turn, turn.ahead, state));
      }
      return places;
    },
    poll: (turn, agent) =>
      pollFacts(turn, { atMs: clock.wallMs(), longestWaitMs: longestWaitMs(limits, agent) }),
  };
}

function placeOf(turn: WaitingTurn, ahead: number, now: QueueNow): QueuePlace {
  return { position: ahead + 1, ahead, reason: queueReason(turn, now) };
}

/* The lanes of the agents that the account has turns for, its own, and the gateway's. */
async function lanesOf(
  queue: QueueRecords,
  { accountId, running, limits, instanceId }: QueueNow,
  waiting: readonly WaitingTurn[],
): Promise<readonly LaneView[]> {
  const counts = countLanes(running, instanceId);
  const mine = running.filter((turn) => turn.accountId === accountId);
  const agents = [...new Set([...waiting, ...mine].map(({ agent }) => agent))].sort();
  const lanes: LaneView[] = [];
  for (const agent of agents) {
    lanes.push({
      lane: 'agent',
      agent,
      active: counts.agents.get(agent) ?? 0,
      limits: agentLane(limits, agent),
      ...(await queue.waitingIn({ agent })),
    });
  }
  const active = counts.accounts.get(accountId) ?? 0;
  const own = await queue.waitingIn({ accountId });
  lanes.push({ lane: 'account', active, limits: limits.account, ...own });
  const all = await queue.waitingIn({});
  lanes.push({ lane: 'gateway', active: counts.gateway, limits: limits.gateway, ...all });
  return lanes;
}
