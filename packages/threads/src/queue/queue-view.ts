/*
 * What people see of the queue: where a turn stands and why it waits, as data and as one sentence; and how full the lanes are. Everything
 * that shows the queue (REST, JSON-RPC, snapshots) shows this.
 *
 * An account sees its own turns. Of others it sees how many there are, in lanes that it shares with them, and nothing else.
 */
import type { LaneLimits, LaneName, RunningTurn, WaitingTurn } from '@clawdfather/agents';
import type { AccountId } from '@clawdfather/kit';
import { countLanes } from './next-admissions.ts';
import type { PolledTurn, PollFacts } from './poll-facts.ts';
import { agentLane, type QueueLimits } from './queue-limits.ts';

export const queueReasonCodes = [
  /* A turn of its thread runs. */
  'thread-busy',
  /* An earlier one of its thread waits. */
  'thread-order',
  'not-before',
  'agent-lane-full',
  'account-lane-full',
  'gateway-lane-full',
  'low-memory',
  /* Its agent runs at another gateway, which lets it in. */
  'agent-elsewhere',
  /* Nothing holds it up but those ahead of it. */
  'next',
] as const;
export type QueueReasonCode = (typeof queueReasonCodes)[number];

export interface QueueReason {
  readonly code: QueueReasonCode;
  /* For people, in one sentence. */
  readonly message: string;
  /* Of a lane: how many run there, and how many may. */
  readonly active?: number | undefined;
  readonly activeMax?: number | undefined;
  /* Of `not-before`. */
  readonly atMs?: number | undefined;
  /* Of `low-memory`. */
  readonly availableBytes?: number | undefined;
  readonly floorBytes?: number | undefined;
}

/* Of a turn that waits. */
export interface QueuePlace {
  /* From 1, among all that wait in its account. */
  readonly position: number;
  /* How many of them come before it. */
  readonly ahead: number;
  readonly reason: QueueReason;
}

export interface QueuedTurn extends QueuePlace {
  readonly turnId: string;
  readonly threadId: string;
  readonly agent: string;
  readonly priority: number;
  readonly queuedAtMs: number;
  readonly notBeforeMs?: number | undefined;
}

export interface LaneView {
  readonly lane: LaneName;
  /* Which agent's, of that lane. */
  readonly agent?: string | undefined;
  readonly active: number;
  readonly waiting: number;
  readonly limits: LaneLimits;
  /* Since when the one waits that has waited the longest. */
  readonly oldestQueuedAtMs?: number | undefined;
}

export interface QueueView {
  readonly lanes: readonly LaneView[];
  /* The first of the account's own, in order. */
  readonly waiting: readonly QueuedTurn[];
  /* How many of its own wait in all. */
  readonly total: number;
}

/* For whoever shows the queue. */
export interface QueueDesk {
  ofAccount(accountId: AccountId, options?: { readonly limit?: number }): Promise<QueueView>;
  /* Undefined: it does not wait. */
  ofTurn(accountId: AccountId, turnId: string): Promise<QueuePlace | undefined>;
  /* Of those that wait among these. Costs little where none does. */
  ofTurns(
    accountId: AccountId,
    turns: readonly { readonly id: string; readonly status: string }[],
  ): Promise<ReadonlyMap<string, QueuePlace>>;
  /* How a client that has no stream asks after a turn of this agent; undefined: it has ended. */
  poll(turn: PolledTurn, agent: string): PollFacts | undefined;
}

/* What the reason of a wait is read off. */
export interface QueueNow {
  readonly accountId: AccountId;
  readonly instanceId: string;
  readonly limits: QueueLimits;
  readonly running: readonly RunningTurn[];
  readonly atMs: number;
  /* How many agents may be started now, and with how much memory left. */
  readonly startsMax: number;
  readonly availableBytes?: number | undefined;
}

export function queueReason(turn: WaitingTurn, now: QueueNow): QueueReason {
  return threadReason(turn, now) ?? laneReason(turn, now) ?? { code: 'next', message: soonText };
}

const soonText = 'it is among the next to start';

function threadReason(turn: WaitingTurn, now: QueueNow): QueueReason | undefined {
  const { accountId, running, atMs } = now;
  const isOfThread = (other: RunningTurn): boolean =>
    other.accountId === accountId && other.threadId === turn.threadId;
  if (running.some(isOfThread)) {
    return { code: 'thread-busy', message: 'the agent still works on an earlier message' };
  }
  if (turn.readyAtMs === undefined) {
    return { code: 'thread-order', message: 'an earlier message of this thread waits, too' };
  }
  const { notBeforeMs } = turn;
  if (notBeforeMs !== undefined && notBeforeMs > atMs) {
    const at = new Date(notBeforeMs).toISOString();
    return { code: 'not-before', message: `it is not to start before ${at}`, atMs: notBeforeMs };
  }
  return undefined;
}

function laneReason(turn: WaitingTurn, now: QueueNow): QueueReason | undefined {
  const { instanceId } = now;
  const { agentInstanceId, isOnHost = false } = turn;
  const full = fullLane(turn, now);
  if (full !== undefined) return full;
  if (agentInstanceId !== undefined && agentInstanceId !== instanceId) {
    return { code: 'agent-elsewhere', message: 'its agent runs at another gateway' };
  }
  const startsHere = agentInstanceId === undefined && !isOnHost;
  return startsHere && now.startsMax <= 0 ? lowMemory(now) : undefined;
}

function fullLane({ agent }: WaitingTurn, now: QueueNow): QueueReason | undefined {
  const { limits, running, instanceId, accountId } = now;
  const counts = countLanes(running, instanceId);
  const lanes = [
    {
      code: 'agent-lane-full',
      active: counts.agents.get(agent) ?? 0,
      activeMax: agentLane(limits, agent).activeMax,
      what: `${agent} turns`,
    },
    {
      code: 'account-lane-full',
      active: counts.accounts.get(accountId) ?? 0,
      activeMax: limits.account.activeMax,
      what: 'turns of your account',
    },
    {
      code: 'gateway-lane-full',
      active: counts.gateway,
      activeMax: limits.gateway.activeMax,
      what: 'turns of this gateway',
    },
  ] as const;
  const full = lanes.find(({ active, activeMax }) => active >= activeMax);
  if (full === undefined) return undefined;
  const { what, ...reason } = full;
  return { ...reason, message: `${reason.active} of ${reason.activeMax} ${what} are running` };
}

function lowMemory({ availableBytes = 0, limits }: QueueNow): QueueReason {
  const { floorBytes } = limits.memory;
  const inMebibytes = (bytes: number): number => Math.round(bytes / 1024 ** 2);
  return {
    code: 'low-memory',
    message: `no agent is started: ${inMebibytes(availableBytes)} MiB of memory are available, and ${inMebibytes(floorBytes)} MiB have to stay free`,
    availableBytes,
    floorBytes,
  };
}
