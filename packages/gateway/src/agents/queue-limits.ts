/*
 * The limits of the queue at this gateway: the usual ones, with what the settings say instead.
 */
import type { LaneLimits } from '@clawdfather/agents';
import { type QueueLimits, usualQueueLimits } from '@clawdfather/threads';
import type { AgentsConfig } from '../gateway-config.ts';

export function queueLimits(config: AgentsConfig | undefined): QueueLimits {
  const { activeMax, queue = {} } = config ?? {};
  const usual = usualQueueLimits;
  const { floorBytes } = usual.memory;
  return {
    agent: laneOf(usual.agent, queue.agent),
    agents: queue.agents,
    account: laneOf(usual.account, queue.account),
    gateway: laneOf(usual.gateway, { activeMax, ...queue.gateway }),
    memory: { ...usual.memory, floorBytes: queue.memoryFloorBytes ?? floorBytes },
  };
}

function laneOf(
  usual: LaneLimits,
  own: Partial<LaneLimits> | { readonly activeMax?: number | undefined } = {},
): LaneLimits {
  const given = Object.entries(own).filter(([, value]) => value !== undefined);
  return { ...usual, ...Object.fromEntries(given) };
}
