/*
 * Sockets joined with the rest of the gateway: what they are given of it, and nothing more.
 */
import type { Server } from 'node:http';
import { usualAccountBounds } from '../accounts/account-bounds.ts';
import { createAccountPlaces } from '../accounts/account-places.ts';
import type { AllowedNames } from '../http/allowed-names.ts';
import type { GatewayHeader } from '../http/gateway-header.ts';
import type { GatewayParts } from '../gateway-parts.ts';
import { rpcDepsOf } from '../acp/rpc-deps.ts';
import { decideAsCaller } from '../runs/decide-approval.ts';
import { openSockets, type Sockets } from './open-sockets.ts';

export function joinSockets(
  server: Server,
  parts: GatewayParts,
  given: { readonly names: AllowedNames; readonly gatewayHeader: GatewayHeader },
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
    decide: async (decision) => (await decideAsCaller(parts, decision)).record.state,
    hub,
    sessions,
    rpc: rpcDepsOf(parts),
    identity: () => parts.instance.identity,
    inMessage: observe.inMessage,
    currentTrace: observe.currentTrace,
  });
}
