/*
 * How much runs and waits at a time, in each lane. All of it are settings; these numbers hold where nothing is set.
 */
import type { LaneLimits, LaneNumbers } from '@clawdfather/agents';

const minuteMs = 60_000;
const mebibyte = 1024 * 1024;

/* Providers give one key a handful of answers at a time; twenty more people in line are served within the ten minutes, or are told. */
export const usualAgentLane: LaneLimits = {
  activeMax: 5,
  waitingMax: 20,
  waitMsMax: 10 * minuteMs,
};

/*
 * Half of the gateway, so that one account never has all of it; a hundred prompts are more than a person types ahead, and less than a
 * program in a loop would leave. Half an hour is the longest that anybody sensibly asks of one agent's lane.
 */
export const usualAccountLane: LaneLimits = {
  activeMax: 10,
  waitingMax: 100,
  waitMsMax: 30 * minuteMs,
};

/* An agent takes some 300 MB: twenty of them are what 8 GB carry. What waits are rows, so it is five accounts' worth of them. */
export const usualGatewayLane: LaneLimits = {
  activeMax: 20,
  waitingMax: 500,
  waitMsMax: 30 * minuteMs,
};

export interface MemoryLimits {
  /* With less available than this, no agent is started for a turn; zero: memory is not looked at. */
  readonly floorBytes: number;
  /* What one that was just started will take, though it does not yet. */
  readonly agentBytes: number;
}

/* Below it the kernel begins to throw out what programs need next; an agent that is killed for memory loses its turn. */
export const usualMemory: MemoryLimits = {
  floorBytes: 512 * mebibyte,
  agentBytes: 300 * mebibyte,
};

export interface QueueLimits {
  readonly agent: LaneLimits;
  /* Of single agents, by name, where they differ. */
  readonly agents?: Readonly<Record<string, Partial<LaneLimits>>> | undefined;
  readonly account: LaneLimits;
  readonly gateway: LaneLimits;
  readonly memory: MemoryLimits;
}

export const usualQueueLimits: QueueLimits = {
  agent: usualAgentLane,
  account: usualAccountLane,
  gateway: usualGatewayLane,
  memory: usualMemory,
};

export function agentLane({ agent, agents }: QueueLimits, name: string): LaneLimits {
  const own = agents !== undefined && Object.hasOwn(agents, name) ? agents[name] : undefined;
  return own === undefined ? agent : { ...agent, ...own };
}

/* The shortest of the three that a turn is in. */
export function longestWaitMs(limits: QueueLimits, agent: string): number {
  const lanes = [agentLane(limits, agent), limits.account, limits.gateway];
  return Math.min(...lanes.map(({ waitMsMax }) => waitMsMax));
}

export function activeMax(limits: QueueLimits, agent: string): LaneNumbers {
  const { account, gateway } = limits;
  const { activeMax: own } = agentLane(limits, agent);
  return { agent: own, account: account.activeMax, gateway: gateway.activeMax };
}

export function waitingMax(limits: QueueLimits, agent: string): LaneNumbers {
  const { account, gateway } = limits;
  const { waitingMax: own } = agentLane(limits, agent);
  return { agent: own, account: account.waitingMax, gateway: gateway.waitingMax };
}
