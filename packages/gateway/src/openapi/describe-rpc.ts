/*
 * `POST /acp/rpc` for the OpenAPI document: one shape of a request for each method, from the table that validates them. The route itself takes
 * bodies as they come, because JSON-RPC has its own words for what is wrong with them.
 */
import { rpcAnswerSchema, rpcIdSchema, rpcMethods } from '@clawdfather/protocol/acp';
import type { EndpointGroup } from '@clawdfather/protocol/api';
import { z } from 'zod';
import { rpcEndpoint } from '../acp/rpc-endpoint.ts';

export function describeRpc(): EndpointGroup {
  const calls = Object.entries(rpcMethods).map(([name, { summary, access, params }]) =>
    z
      .object({
        jsonrpc: z.literal('2.0'),
        id: rpcIdSchema.optional(),
        method: z.literal(name),
        params: params.optional(),
      })
      .describe(`${summary}. Scope: ${access}`),
  );
  const call = z.union(calls);
  const body = z.union([call, z.array(call)]);
  const answer = z.union([rpcAnswerSchema, z.array(rpcAnswerSchema)]);
  return { call: { ...rpcEndpoint, body, answer } };
}
