/*
 * An agent outside of the gateway, with a token that may run and not approve: what it asks for waits for a person.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { type Client, createClient } from '@clawdfather/sdk';
import type { RealGateway } from './real-gateway.ts';

export interface AskingAgent {
  readonly client: Client;
  /* The id of the approval that waits for it. */
  ask(command: Asked): Promise<string>;
}

type Asked =
  | string
  | { readonly argv: string[]; readonly stdin?: string; readonly env?: Record<string, string> };

export async function openAskingAgent(gateway: RealGateway): Promise<AskingAgent> {
  const { token } = await gateway.client.tokens.create({
    body: { label: `agent ${randomUUID()}`, scopes: ['read', 'run'] },
  });
  const client = createClient({ baseUrl: gateway.client.connection.baseUrl, token });
  return {
    client,
    ask: async (asked) => {
      const body = typeof asked === 'string' ? { command: asked } : asked;
      const started = await client.runs.create({ body: { ...body, yieldMs: 10_000 } });
      assert.ok(started.status === 'approval-pending', JSON.stringify(started));
      return started.approvalId;
    },
  };
}
