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
import { createSessionRecord, type SessionOf, type SessionRecordDeps } from './session-record.ts';
import { openStatelessClient } from './stateless-client.ts';

export interface McpEndpointDeps extends McpClientDeps {
  readonly tokens: LiveTokens;
  readonly store: SessionRecordDeps['store'];
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

interface Sessions {
  readonly kept: Kept;
  /* Those that are being taken up, so that requests that come at once share one. */
  readonly takenUp: Map<string, Promise<McpClient | undefined>>;
}

/* Codes of the protocol's library for what only HTTP can refuse. */
const refused = -32_000;
const sessionUnknown = -32_001;

export function createMcpEndpoint(deps: McpEndpointDeps): McpEndpoint {
  const { clock, log, tokens } = deps;
  const kept: Kept = createKeptClients({ clock, log, tokens });
  const sessions: Sessions = { kept, takenUp: new Map() };
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
        ? answerInSession(deps, sessions, question)
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
  sessions: Sessions,
  question: McpQuestion,
): Promise<Response> {
  const { web, body, mcp } = question;
  const { kept } = sessions;
  const id = web.headers.get('mcp-session-id');
  if (id !== null) {
    const { caller } = mcp;
    const client = kept.find(keyOfSession(id)) ?? (await takeUp(deps, sessions, { id, caller }));
    // A session id of another token is answered like an unknown one.
    if (client === undefined || client.caller.id !== caller.id) {
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
  const record = createSessionRecord(deps, { id, caller });
  const onEnded = (): void => kept.remove(key);
  const client = await openHandshakeSession(deps, { id, caller, record, onEnded });
  kept.add(key, client);
  followOwn(deps, kept, client);
  const { web, body, mcp } = question;
  mcp.onDone(kept.hold(key));
  const response = await withRequest(mcp, () => client.begin(web, body));
  // It was refused, so no client knows its id.
  if (!response.ok) kept.remove(key);
  return response;
}

/* A session that this gateway does not have in memory: an earlier one began it, or it was idle for long. */
async function takeUp(
  deps: McpEndpointDeps,
  sessions: Sessions,
  session: SessionOf,
): Promise<McpClient | undefined> {
  const { id, caller } = session;
  // Only ids that we could have made are looked for.
  if (!sessionIdPattern.test(id)) return undefined;
  const { takenUp } = sessions;
  const key = `${caller.id} ${id}`;
  const taking = takenUp.get(key) ?? takeUpOnce(deps, sessions, session);
  takenUp.set(key, taking);
  try {
    return await taking;
  } finally {
    takenUp.delete(key);
  }
}

async function takeUpOnce(
  deps: McpEndpointDeps,
  { kept }: Sessions,
  { id, caller }: SessionOf,
): Promise<McpClient | undefined> {
  const key = keyOfSession(id);
  const record = createSessionRecord(deps, { id, caller });
  const found = await record.find();
  if (found === undefined) return undefined;
  kept.makeRoom(caller.accountId);
  const onEnded = (): void => kept.remove(key);
  const client = await openHandshakeSession(deps, { id, caller, record, onEnded });
  if (!(await client.takeUp(found))) {
    await client.close();
    return undefined;
  }
  kept.add(key, client);
  followOwn(deps, kept, client);
  deps.log.debug('mcp-session-taken-up', { tokenId: caller.id, client: found.clientName });
  return client;
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

const sessionIdPattern = /^[A-Za-z0-9_-]{32}$/;

function clientNameOf(body: unknown): string | undefined {
  const { params } = (body ?? {}) as { readonly params?: { readonly _meta?: object } };
  const info = (params?._meta as Record<string, unknown> | undefined)?.[CLIENT_INFO_META_KEY];
  const { name } = (info ?? {}) as { readonly name?: unknown };
  return typeof name === 'string' ? name : undefined;
}

function refusal(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: '2.0', error: { code, message }, id: null }, { status });
}
