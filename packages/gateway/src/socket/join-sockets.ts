/*
 * Sockets joined with the rest of the gateway: what they are given of it, and nothing more.
 */
import type { Server } from 'node:http';
import { usualAccountBounds } from '../accounts/account-bounds.ts';
import { createAccountPlaces } from '../accounts/account-places.ts';
import { CallerThreads } from '../agents/caller-threads.ts';
import { decideAsked } from '../agents/decide-asked.ts';
import { askerOf } from '../http/handlers.ts';
import { limitEndpoint } from '../http/limit-endpoint.ts';
import type { GatewayParts } from '../gateway-parts.ts';
import { rpcDepsOf } from '../acp/rpc-deps.ts';
import { openSockets, type Sockets, type SocketsDeps } from './open-sockets.ts';

export function joinSockets(
  server: Server,
  parts: GatewayParts,
  given: Pick<SocketsDeps, 'names' | 'gatewayHeader' | 'startGate'>,
): Sockets {
  const { clock, random, log, store, authenticate, tokens, runs, runsFor, hub } = parts;
  const { sessions, config, observe } = parts;
  const { socketsMax } = config.bounds ?? usualAccountBounds;
  return openSockets(server, {
    clock,
    random,
    log,
    store,
    authenticate,
    turns: parts.turns,
    tokens,
    ...given,
    trustedProxies: config.trustedProxies,
    limits: config.sockets,
    places: createAccountPlaces({ what: 'sockets', placesMax: socketsMax }),
    supervisor: runs.supervisor,
    runsFor,
    decide: (decision) => decideAsked(parts, decision),
    threadsOf: (asked) => new CallerThreads(parts, { caller: asked.caller, by: askerOf(asked) }),
    desk: parts.agentThreads.desk,
    limitCall: (endpoint, call) => limitEndpoint(parts, endpoint, call),
    hub,
    sessions,
    rpc: rpcDepsOf(parts),
    identity: () => parts.instance.identity,
    inMessage: observe.inMessage,
    currentTrace: observe.currentTrace,
  });
}
