/*
 * A gateway whose agents may run anything, and the protocol's own client for it, in whatever revision.
 */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createEnding, createMcpCalls, type Ending, type McpCalls } from '@clawdfather/testkit';
import { createAsk } from '../fixtures/api-client.ts';
import {
  openTestGateway,
  type TestAccount,
  type TestGateway,
  type TestGatewayOptions,
} from '../fixtures/open-test-gateway.ts';

export const modernRevision = '2026-07-28';
export const handshakeRevisions = ['2025-03-26', '2025-06-18', '2025-11-25'];
export const revisions = [...handshakeRevisions, modernRevision];

export interface Agent extends AsyncDisposable, McpCalls {
  readonly client: Client;
  readonly transport: StreamableHTTPClientTransport;
  close(): Promise<void>;
}

export interface AgentOptions {
  readonly token: string;
  readonly revision?: string;
  readonly name?: string;
  /* Of something in between. */
  readonly url?: string;
  readonly fetch?: typeof fetch;
}

export interface McpRig extends AsyncDisposable {
  readonly gateway: TestGateway;
  readonly url: URL;
  makeToken(scopes?: readonly string[], account?: TestAccount): Promise<ApiToken>;
  connect(options: AgentOptions): Promise<Agent>;
  /* A run as its owner sees it over the API. */
  // oxlint-disable-next-line typescript/no-explicit-any
  look(runId: string, account?: TestAccount): Promise<any>;
  createEnding(code: number): Ending;
}

export interface ApiToken {
  readonly id: string;
  readonly token: string;
}

const openPolicy = { security: 'full', ask: 'off' } as const;

export async function openMcpRig(options: TestGatewayOptions = {}): Promise<McpRig> {
  const runs = { agentPolicy: openPolicy, ...options.runs };
  const gateway = await openTestGateway({ ...options, runs });
  const ask = createAsk(gateway);
  const url = new URL('/mcp', gateway.url);
  let tokens = 0;
  return {
    gateway,
    url,
    makeToken: async (scopes = ['read', 'run'], { token } = gateway.owner) => {
      tokens += 1;
      const { body } = await ask('POST', 'auth/tokens', {
        body: { label: `agent ${tokens}`, scopes },
        token,
      });
      return body;
    },
    connect: (one) => connect({ url: url.href, ...one }),
    look: async (runId, { token } = gateway.owner) =>
      (await ask('GET', `runs/${runId}`, { token })).body,
    createEnding: (code) => createEnding(gateway.directory, code),
    [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose](),
  };
}

export async function connect(options: Required<Pick<AgentOptions, 'url'>> & AgentOptions) {
  const { url, token, revision = modernRevision, name = 'test-agent' } = options;
  const isModern = revision === modernRevision;
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
    ...(options.fetch === undefined ? {} : { fetch: options.fetch }),
  });
  const client = new Client(
    { name, version: '1' },
    isModern
      ? { versionNegotiation: { mode: { pin: modernRevision } } }
      : { versionNegotiation: { mode: 'legacy' }, supportedProtocolVersions: [revision] },
  );
  await client.connect(transport);
  // The client checks results against the schemas that it has seen.
  await client.listTools();
  return agentOf(client, transport);
}

function agentOf(client: Client, transport: StreamableHTTPClientTransport): Agent {
  const close = (): Promise<void> => client.close();
  return { client, transport, ...createMcpCalls(client), close, [Symbol.asyncDispose]: close };
}

type Asked = { readonly gateway: Parameters<typeof createAsk>[0] };

/* The one that the owner's account has, as soon as it runs. */
export async function runningRun({ gateway }: Asked): Promise<string> {
  for (;;) {
    const { body } = await createAsk(gateway)('GET', 'runs?state=running');
    const [run] = body.items;
    if (run?.state === 'running') return run.runId;
  }
}

/* Not told over MCP. */
export async function endOfRun({ gateway }: Asked, runId: string) {
  const { body } = await createAsk(gateway)('GET', `runs/${runId}/wait?timeoutMs=30000`);
  return body.exit;
}

export interface CutWatch {
  readonly fetch: typeof fetch;
  /* Resolves when the connection of the request that has this text in it is over, with or without an answer. */
  readonly cut: Promise<void>;
}

export function watchCut(text: string): CutWatch {
  const { promise, resolve } = Promise.withResolvers<void>();
  return {
    cut: promise,
    fetch: async (url, init) => {
      if (typeof init?.body !== 'string' || !init.body.includes(text)) return fetch(url, init);
      try {
        const response = await fetch(url, init);
        const [own, theirs] = response.body?.tee() ?? [null, null];
        // Broken off is over as well.
        void own?.pipeTo(new WritableStream()).then(resolve, () => resolve());
        return new Response(theirs, response);
      } catch (error) {
        resolve();
        throw error;
      }
    },
  };
}
