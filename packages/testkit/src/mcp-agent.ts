/*
 * What an agent does over MCP, whatever its transport: calls tools, polls a run for what it says, and hears of ends without
 * asking.
 */
import type { Client, RequestOptions } from '@modelcontextprotocol/client';

export interface ToolAnswer {
  /** The first block. */
  readonly text: string;
  readonly blocks: readonly string[];
  readonly isError: boolean;
  /** The structured content. */
  readonly data: Readonly<Record<string, unknown>>;
}

export interface McpCalls {
  call(name: string, args: object, options?: RequestOptions): Promise<ToolAnswer>;
  /** `process poll` until what was said since the cursor matches; throws when the run is over before. */
  pollFor(runId: string, pattern: RegExp, cursor?: string): Promise<ToolAnswer>;
}

export function createMcpCalls(client: Client): McpCalls {
  const call: McpCalls['call'] = async (name, args, options) => {
    const result = await client.callTool({ name, arguments: { ...args } }, options);
    const blocks = (result.content as readonly { readonly text: string }[]).map(({ text }) => text);
    const data = (result.structuredContent ?? {}) as ToolAnswer['data'];
    return { text: blocks[0] ?? '', blocks, isError: result.isError ?? false, data };
  };
  return {
    call,
    pollFor: async (runId, pattern, from) => {
      let said = '';
      let cursor = from;
      for (;;) {
        const at = cursor === undefined ? {} : { cursor };
        const answer = await call('process', { action: 'poll', runId, waitMs: 30_000, ...at });
        const { output = '', ...polled } = answer.data as { output?: string; cursor?: string };
        said += output;
        cursor = polled.cursor;
        if (pattern.test(said)) return { ...answer, data: { ...answer.data, output: said } };
        if (answer.data['status'] !== 'running')
          throw new Error(`over without ${pattern}: ${said}`);
      }
    },
  };
}

export interface Heard {
  readonly all: readonly Readonly<Record<string, unknown>>[];
  /** Resolves with the notification that names the run. */
  of(runId: string): Promise<Readonly<Record<string, unknown>>>;
}

/** Up to 2025-11-25. */
export function hearMessages({ client }: { readonly client: Client }): Heard {
  const heard = createHeard();
  client.setNotificationHandler('notifications/message', ({ params }) => heard.add(params));
  return heard;
}

/** 2026-07-28. */
export function hearUpdates({ client }: { readonly client: Client }): Heard {
  const heard = createHeard();
  client.setNotificationHandler('notifications/resources/updated', ({ params }) =>
    heard.add(params),
  );
  return heard;
}

function createHeard(): Heard & { add(params: object): void } {
  const all: Readonly<Record<string, unknown>>[] = [];
  const waiting = new Set<() => void>();
  return {
    all,
    add: (params) => {
      all.push({ ...params });
      for (const wake of waiting) wake();
    },
    of: async (runId) => {
      for (;;) {
        const found = all.find((params) => JSON.stringify(params).includes(runId));
        if (found !== undefined) return found;
        const { promise, resolve } = Promise.withResolvers<void>();
        waiting.add(resolve);
        await promise;
        waiting.delete(resolve);
      }
    },
  };
}

/** The first message of the revisions that begin with a handshake, for who speaks without a client. */
export const initializeMessage = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'bare', version: '1' },
  },
} as const;
