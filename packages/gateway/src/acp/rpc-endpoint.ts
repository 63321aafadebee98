/*
 * The one route of JSON-RPC over HTTP. Not one of the table of endpoints: its bodies and its refusals are JSON-RPC's, and each method says itself
 * what it needs.
 */
import type { Endpoint } from '@clawdfather/protocol/api';

export const rpcEndpoint = {
  method: 'POST',
  path: '/acp/rpc',
  summary:
    'JSON-RPC 2.0: conversations with agents, as JSON or with Accept: text/event-stream as a stream. Refusals have the shape of JSON-RPC',
  access: 'read',
  takesLong: true,
} as const satisfies Endpoint;
