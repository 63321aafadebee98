/*
 * Sockets joined with the rest of the gateway: what they are given of it, and nothing more.
 */
import type { Server } from 'node:http';
import type { AllowedNames } from '../http/allowed-names.ts';
import type { GatewayParts } from '../gateway-parts.ts';
import { createApprovalsHandlers } from '../routes/approvals.ts';
import { findStarted } from '../runs/find-run.ts';
import { openSockets, type Sockets } from './open-sockets.ts';
import { noTurns } from './session-turns.ts';
import type { Decision } from './socket-context.ts';

export function joinSockets(server: Server, parts: GatewayParts, names: AllowedNames): Sockets {
  const { clock, random, log, store, authenticate, tokens, runs, sessions, config, observe } =
    parts;
  return openSockets(server, {
    clock,
    random,
    log,
    store,
    authenticate,
    tokens,
    names,
    trustedProxies: config.trustedProxies,
    limits: config.sockets,
    supervisor: runs.supervisor,
    findRun: (caller, id) => findStarted(runs, caller, id),
    decide: createDecide(parts),
    sessions,
    turns: noTurns,
    inMessage: observe.inMessage,
    currentTrace: observe.currentTrace,
  });
}

/* The endpoint's own handler decides, so that the two ways cannot differ. */
function createDecide(parts: GatewayParts): (decision: Decision) => Promise<string> {
  const { decide } = createApprovalsHandlers(parts);
  return async ({ approvalId, decision, reason, caller, ip, traceId }) => {
    const { approval } = await decide({
      params: { id: approvalId },
      query: undefined,
      body: { decision, ...(reason === undefined ? {} : { reason }) },
      caller,
      ip,
      traceId,
      userAgent: undefined,
      header: () => undefined,
      signal: new AbortController().signal,
      // It answers with what it returns; there is no HTTP answer that it could write to.
      reply: undefined as never,
    });
    return approval.state;
  };
}
