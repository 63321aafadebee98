/*
 * What JSON-RPC is given of the gateway, over HTTP and over sockets, and nothing more.
 */
import type { GatewayParts } from '../gateway-parts.ts';
import type { AnswerDeps } from './answer-call.ts';

export function rpcDepsOf(parts: GatewayParts): AnswerDeps {
  const { config, store, runs, agentThreads, random, observe, clock, log, turns } = parts;
  const { sessions, instance, limits, sessionLimits, hosts, shells } = parts;
  return {
    config,
    store,
    runs,
    agentThreads,
    random,
    observe,
    clock,
    log,
    turns,
    sessions,
    instance,
    limits,
    sessionLimits,
    hosts,
    shells,
    onCall: (method, outcome) => observe.metrics.rpc(method, outcome),
  };
}
