/*
 * Which turns run next, as one pure function over what runs and what is ready.
 *
 * - Of an account, in the order of its queue. A turn whose agent's lane is full is passed by, and those of other agents behind it go on.
 * - Among accounts, the one with the fewest turns running comes first; of equals, the one whose next turn has been ready the longest. So
 *   whoever has many waiting holds nobody up.
 * - Never more than a lane takes, and never more new agents than there is memory for. An agent on an SSH host takes none of it.
 */
import { compareSpots, type ReadyTurn, type RunningTurn } from '@clawdfather/agents';
import { agentLane, type QueueLimits } from './queue-limits.ts';

export interface QueueState {
  readonly instanceId: string;
  readonly limits: QueueLimits;
  /* Of all gateways. */
  readonly running: readonly RunningTurn[];
  /* In any order. */
  readonly ready: readonly ReadyTurn[];
  /* How many agents may be started now (memory-room.ts). */
  readonly startsMax: number;
}

export function nextAdmissions({ ready, startsMax, ...state }: QueueState): readonly ReadyTurn[] {
  const lanes = countLanes(state.running, state.instanceId);
  let waiting = queuesOf(ready);
  let starts = startsMax;
  const admitted: ReadyTurn[] = [];
  for (;;) {
    const fits = (turn: ReadyTurn): boolean =>
      (!takesMemory(turn) || starts > 0) && hasRoom(lanes, state.limits, turn);
    const next = nextOf(waiting, { lanes, fits });
    if (next === undefined) return admitted;
    admitted.push(next);
    enter(lanes, next, true);
    if (takesMemory(next)) starts -= 1;
    // A thread has one turn at a time, whatever it is given here.
    waiting = waiting.map((queue) => queue.filter(({ threadId }) => threadId !== next.threadId));
  }
}

/* An agent would have to be started for it, on this machine. */
function takesMemory({ hasAgent, isOnHost = false }: ReadyTurn): boolean {
  return !hasAgent && !isOnHost;
}

export interface LaneCounts {
  readonly agents: Map<string, number>;
  readonly accounts: Map<string, number>;
  gateway: number;
}

export function countLanes(running: readonly RunningTurn[], instanceId: string): LaneCounts {
  const lanes: LaneCounts = { agents: new Map(), accounts: new Map(), gateway: 0 };
  for (const turn of running) enter(lanes, turn, turn.instanceId === instanceId);
  return lanes;
}

function enter(
  lanes: LaneCounts,
  { agent, accountId }: Pick<RunningTurn, 'agent' | 'accountId'>,
  isHere: boolean,
): void {
  lanes.agents.set(agent, (lanes.agents.get(agent) ?? 0) + 1);
  lanes.accounts.set(accountId, (lanes.accounts.get(accountId) ?? 0) + 1);
  if (isHere) lanes.gateway += 1;
}

function hasRoom(lanes: LaneCounts, limits: QueueLimits, { agent, accountId }: ReadyTurn): boolean {
  return (
    (lanes.agents.get(agent) ?? 0) < agentLane(limits, agent).activeMax &&
    (lanes.accounts.get(accountId) ?? 0) < limits.account.activeMax &&
    lanes.gateway < limits.gateway.activeMax
  );
}

/* A queue for each account, in its order: the one that people are shown. */
function queuesOf(ready: readonly ReadyTurn[]): readonly (readonly ReadyTurn[])[] {
  const queues = Map.groupBy(ready, ({ accountId }) => accountId);
  return [...queues.values()].map((queue) => queue.toSorted(compareReady));
}

function compareReady(left: ReadyTurn, right: ReadyTurn): number {
  return (
    compareSpots(left, right) || left.place - right.place || compareIds(left.turnId, right.turnId)
  );
}

function compareIds(left: string, right: string): number {
  return left < right ? -1 : Number(left > right);
}

function nextOf(
  queues: readonly (readonly ReadyTurn[])[],
  { lanes, fits }: { readonly lanes: LaneCounts; readonly fits: (turn: ReadyTurn) => boolean },
): ReadyTurn | undefined {
  const firsts = queues.flatMap((queue) => queue.find(fits) ?? []);
  const runningOf = ({ accountId }: ReadyTurn): number => lanes.accounts.get(accountId) ?? 0;
  return firsts.toSorted(
    (left, right) =>
      runningOf(left) - runningOf(right) ||
      left.readyAtMs - right.readyAtMs ||
      compareIds(left.accountId, right.accountId),
  )[0];
}
