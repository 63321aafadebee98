/*
 * MCP over HTTP: from a request to the client that it belongs to, in every revision.
 *
 * Only this file and what it imports knows the protocol's library; it is loaded with the first request.
 */
import type { Random } from '@clawdfather/kit';
import { liveRunStates } from '@clawdfather/supervisor';
import { requesterOf } from '@clawdfather/tools/mcp';
import {
  CLIENT_INFO_META_KEY,
  isInitializeRequest,
  isJsonContentType,
  isLegacyRequest,
  PARSE_ERROR,
} from '@modelcontextprotocol/server';
import type { LiveTokens } from '../auth/live-tokens.ts';
import { sessionIdOf } from './guarded-tools.ts';
import { openHandshakeSession } from './handshake-session.ts';
import { createKeptClients, type KeptClients } from './kept-clients.ts';
import type { McpClient, McpClientDeps } from './mcp-client.ts';
import { type McpRequest, withRequest } from './mcp-request.ts';
import { openStatelessClient } from './stateless-client.ts';

export interface McpEndpointDeps extends McpClientDeps {
  readonly tokens: LiveTokens;
}

export interface McpQuestion {
  readonly web: Request;
  /* Parsed; undefined for what is no JSON, and for a request without a body. */
  readonly body: unknown;
  readonly mcp: McpRequest;
}

export interface McpEndpoint {
  /* Throws `rate_limited`. */
  answer(question: McpQuestion): Promise<Response>;
  close(): Promise<void>;
}

type Kept = KeptClients<McpClient>;

/* Codes of the protocol's library for what only HTTP can refuse. */
const refused = -32_000;
const sessionUnknown = -32_001;

export function createMcpEndpoint(deps: McpEndpointDeps): McpEndpoint {
  const { clock, log, tokens } = deps;
  const kept: Kept = createKeptClients({ clock, log, tokens });
  return {
    answer: async (question) => {
      const { web, body } = question;
      if (web.method === 'POST') {
        if (!isJsonContentType(web.headers.get('content-type'))) {
          return refusal(415, refused, 'Unsupported Media Type: it has to be application/json');
        }
        if (body === undefined) return refusal(400, PARSE_ERROR, 'Parse error: this is no JSON');
      }
      return (await isLegacyRequest(web, body))
        ? answerInSession(deps, kept, question)
        : answerStateless(deps, kept, question);
    },
    close: () => kept.close(),
  };
}

async function answerStateless(
  deps: McpEndpointDeps,
  kept: Kept,
  question: McpQuestion,
): Promise<Response> {
  const { caller } = question.mcp;
  const key = `${caller.id} ${requesterOf(clientNameOf(question.body))}`;
  let client = kept.find(key);
  if (client === undefined) {
    kept.makeRoom(caller.accountId);
    client = openStatelessClient(deps, caller);
    kept.add(key, client);
    followOwn(deps, kept, client);
  }
  return serve(kept, { key, client }, question);
}

async function answerInSession(
  deps: McpEndpointDeps,
  kept: Kept,
  question: McpQuestion,
): Promise<Response> {
  const { web, body, mcp } = question;
  const id = web.headers.get('mcp-session-id');
  if (id !== null) {
    const client = kept.find(keyOfSession(id));
    // A session id of another token is answered like an unknown one.
    if (client === undefined || client.caller.id !== mcp.caller.id) {
      return refusal(404, sessionUnknown, 'Session not found: begin a new one with initialize');
    }
    return serve(kept, { key: keyOfSession(id), client }, question);
  }
  if (web.method !== 'POST' || !isInitializeRequest(body)) {
    return refusal(400, refused, 'Bad Request: the header Mcp-Session-Id is required');
  }
  return beginSession(deps, kept, question);
}

async function beginSession(
  deps: McpEndpointDeps,
  kept: Kept,
  question: McpQuestion,
): Promise<Response> {
  const { caller } = question.mcp;
  const id = newSessionId(deps.random);
  const key = keyOfSession(id);
  kept.makeRoom(caller.accountId);
  const client = await openHandshakeSession(deps, { id, caller, onEnded: () => kept.remove(key) });
  kept.add(key, client);
  followOwn(deps, kept, client);
  const response = await serve(kept, { key, client }, question);
  // It was refused, so no client knows its id.
  if (!response.ok) kept.remove(key);
  return response;
}

function serve(
  kept: Kept,
  { key, client }: { readonly key: string; readonly client: McpClient },
  { web, body, mcp }: McpQuestion,
): Promise<Response> {
  mcp.onDone(kept.hold(key));
  return withRequest(mcp, () => client.serve(web, body));
}

/* Running commands of this token's earlier clients, here or of an earlier gateway, whose end no other client is told. */
function followOwn({ runs }: McpEndpointDeps, kept: Kept, client: McpClient): void {
  const sessionId = sessionIdOf(client.caller);
  const others = kept.busyOf(client.caller.id).filter((other) => other !== client);
  for (const { runId } of runs.supervisor.list({ sessionId, states: liveRunStates })) {
    if (!others.some(({ heardOf }) => heardOf.has(runId))) client.follow(runId);
  }
}

/* No client's name can look like it. */
function keyOfSession(id: string): string {
  return `session ${id}`;
}

/* As hard to guess as a token, although it opens nothing without one. */
function newSessionId(random: Random): string {
  return Buffer.from(random.bytes(24)).toString('base64url');
}

function clientNameOf(body: unknown): string | undefined {
  const { params } = (body ?? {}) as { readonly params?: { readonly _meta?: object } };
  const info = (params?._meta as Record<string, unknown> | undefined)?.[CLIENT_INFO_META_KEY];
  const { name } = (info ?? {}) as { readonly name?: unknown };
  return typeof name === 'string' ? name : undefined;
}

function refusal(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: '2.0', error: { code, message }, id: null }, { status });
}
