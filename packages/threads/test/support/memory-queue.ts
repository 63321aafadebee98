/*
 * The queue of the database in memory, with the store's promises.
 */
import {
  compareSpots,
  type LaneClaim,
  type LaneFull,
  laneNames,
  type QueueRecords,
  type ReadyTurn,
  type ThreadRow,
  type ThreadRows,
  type TurnRow,
  type WaitingTurn,
} from '@clawdfather/agents';
import type { AccountId } from '@clawdfather/kit';

export const anAccount = 'account' as AccountId;

interface Stored {
  readonly rows: ThreadRows;
}

export function fullLane(
  all: readonly ThreadRows[],
  { thread }: { readonly thread: ThreadRow },
  claim: LaneClaim,
): LaneFull | undefined {
  const counted = all.flatMap((rows) => {
    const turns =
      claim.kind === 'enqueue' ? rows.queue : rows.turn === undefined ? [] : [rows.turn];
    return turns.map((turn) => ({ turn, agent: rows.thread.agent }));
  });
  const isHere = ({ instanceId }: TurnRow): boolean =>
    claim.kind === 'enqueue' || instanceId === claim.instanceId;
  const counts = {
    agent: counted.filter(({ agent }) => agent === thread.agent).length,
    account: counted.length,
    gateway: counted.filter(({ turn }) => isHere(turn)).length,
  };
  const lane = laneNames.find((name) => counts[name] >= claim.below[name]);
  return lane && { outcome: 'lane-full', lane, count: counts[lane], max: claim.below[lane] };
}

export function memoryQueue(threads: () => readonly Stored[]): QueueRecords {
  const waiting = (): readonly WaitingTurn[] =>
    threads()
      .flatMap(({ rows }) => rows.queue.map((turn) => waitingOf(rows, turn)))
      .toSorted(compareSpots);
  const ready = (): readonly (ReadyTurn & WaitingTurn)[] =>
    waiting().flatMap((turn) =>
      turn.readyAtMs === undefined
        ? []
        : {
            ...turn,
            accountId: anAccount,
            place: 0,
            readyAtMs: turn.readyAtMs,
            hasAgent: turn.agentInstanceId !== undefined,
          },
    );
  return {
    running: async () =>
      threads().flatMap(({ rows: { thread, turn } }) =>
        turn === undefined
          ? []
          : {
              accountId: anAccount,
              threadId: thread.id,
              turnId: turn.id,
              agent: thread.agent,
              instanceId: turn.instanceId,
              startedAtMs: turn.startedAtMs ?? 0,
            },
      ),
    readyLanes: async () =>
      [...new Set(ready().map(({ agent }) => agent))].map((agent) => ({
        accountId: anAccount,
        agent,
      })),
    ready: async ({ lanes, instanceId, atMs, perLaneMax, hasAgentOnly }) =>
      lanes.flatMap(({ agent }) =>
        ready()
          .filter((turn) => turn.agent === agent && (turn.notBeforeMs ?? 0) <= atMs)
          .filter(
            ({ agentInstanceId = hasAgentOnly ? '' : instanceId }) =>
              agentInstanceId === instanceId,
          )
          .slice(0, perLaneMax),
      ),
    overdue: async ({ agent, readyBeforeMs, limit }) =>
      ready()
        .filter((turn) => turn.agent === agent && turn.readyAtMs < readyBeforeMs)
        .filter(({ notBeforeMs = 0 }) => notBeforeMs < readyBeforeMs)
        .slice(0, limit),
    counts: async () => [],
    waitingIn: async ({ agent }) => {
      const turns = waiting().filter((turn) => agent === undefined || turn.agent === agent);
      const oldest = turns.map(({ queuedAtMs }) => queuedAtMs).toSorted((a, b) => a - b)[0];
      return { waiting: turns.length, oldestQueuedAtMs: oldest };
    },
    page: async (_account, limit) => ({
      items: waiting().slice(0, limit),
      total: waiting().length,
    }),
    placeOf: async (_account, turnId) => {
      const ahead = waiting().findIndex((turn) => turn.turnId === turnId);
      const turn = waiting()[ahead];
      return turn && { ...turn, ahead };
    },
    lastKey: async () => {
      const keys = waiting().map(({ queueKey }) => queueKey);
      return keys.length === 0 ? undefined : Math.max(...keys);
    },
    neighbours: async (_account, { spot, exceptId }) => {
      const others = waiting().filter(({ turnId }) => turnId !== exceptId);
      const before = spot && others.findLast((turn) => compareSpots(turn, spot) < 0);
      const isSame = before?.priority === spot?.priority;
      return { before: isSame ? before : undefined, last: others.at(-1) };
    },
  };
}

function waitingOf({ thread, run }: ThreadRows, turn: TurnRow): WaitingTurn {
  return {
    turnId: turn.id,
    threadId: thread.id,
    agent: thread.agent,
    priority: turn.priority,
    queueKey: turn.queueKey,
    queuedAtMs: turn.queuedAtMs,
    readyAtMs: turn.readyAtMs,
    notBeforeMs: turn.notBeforeMs,
    agentInstanceId: run?.instanceId,
  };
}
