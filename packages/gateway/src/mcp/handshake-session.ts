/*
 * An MCP session of the revisions that begin with `initialize`: one server of the library. Requests, cancellations and the stream
 * of notices come as HTTP requests of their own and are joined by the session's id.
 *
 * A request whose connection breaks is not cancelled (their specification says so): only `notifications/cancelled` is. The library
 * never answers a cancelled request and would leave its stream open, so it is closed here.
 *
 * A session that an earlier gateway began is taken up by replaying what its client said then (replay-session.ts).
 */
import { createMcpServer, type ExitNotices, pushExit } from '@clawdfather/tools/mcp';
import type { McpSession } from '@clawdfather/store';
import {
  isJSONRPCRequest,
  isSpecType,
  type McpServer,
  type RequestId,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import type { Caller } from '../http/caller.ts';
import { createClientBase, type McpClient, type McpClientDeps } from './mcp-client.ts';
import { currentRequest } from './mcp-request.ts';
import { factsOf, replaySession } from './replay-session.ts';
import { noticesOfSession } from './request-notices.ts';
import type { SessionRecord } from './session-record.ts';

export interface NewSession {
  readonly id: string;
  readonly caller: Caller;
  readonly record: SessionRecord;
  /* The client has ended it, for good. */
  readonly onEnded: () => void;
}

export interface HandshakeSession extends McpClient {
  /* The client's first request. Resolves when the session is kept, with all of the answer. */
  begin(request: Request, body: unknown): Promise<Response>;
  /* Instead of `begin`. False: this version cannot go on with it. */
  takeUp(kept: McpSession): Promise<boolean>;
}

export async function openHandshakeSession(
  deps: McpClientDeps,
  { id, caller, record, onEnded }: NewSession,
): Promise<HandshakeSession> {
  const { log } = deps;
  const { notices, heardOf, serverDeps, follow } = createClientBase(deps, caller, {
    cancelsByLeaving: false,
    // Goes to the session's stream; where none is open, the next result tells.
    push: (notice) => pushExit({ server, era: 'legacy', sessionId: id }, notice),
    onChange: () => record.change({ follows: notices.open() }),
  });
  const server: McpServer = createMcpServer(serverDeps, {
    era: 'legacy',
    notices: noticesOfSession(notices),
  });
  server.server.onerror = (error) => log.debug('mcp-protocol', { error });
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: () => id,
    // First for good: a request that comes meanwhile must not find it and take it up again.
    onsessionclosed: async () => {
      try {
        await record.end();
      } finally {
        // If it could not be ended for good, it is taken up by the next attempt.
        onEnded();
      }
    },
  });
  await server.connect(transport);
  const answer = createAnswer({ transport, notices, record });
  return {
    caller,
    heardOf,
    follow,
    serve: (request, body) => {
      record.used();
      return answer(request, body);
    },
    begin: async (request, body) => {
      const response = await answer(request, body);
      // The answer is complete when the handshake is done.
      const whole = await response.arrayBuffer();
      const facts = factsOf(server);
      if (response.ok && facts !== undefined) await record.create(facts);
      const { status, headers } = response;
      return new Response(whole, { status, headers });
    },
    takeUp: async (kept) => {
      if (!(await replaySession({ id, server, transport }, kept))) return false;
      for (const runId of kept.follows) follow(runId);
      return true;
    },
    close: async () => {
      notices.close();
      await server.close();
      await record.settled();
    },
  };
}

interface Answering {
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly notices: ExitNotices;
  readonly record: SessionRecord;
}

function createAnswer({ transport, notices, record }: Answering): McpClient['serve'] {
  /* Requests that have a stream to themselves; those of a batch share one. */
  const alone = new Set<RequestId>();
  return async (request, body) => {
    const { onDone } = currentRequest();
    // From its first answer on it knows what it speaks to.
    onDone((isDelivered) => isDelivered && notices.answered(''));
    if (isJSONRPCRequest(body)) {
      alone.add(body.id);
      onDone(() => alone.delete(body.id));
    }
    // A client has one stream for notices. If it asks again, it has lost the old one, which we may not have noticed yet.
    if (request.method === 'GET') transport.closeStandaloneSSEStream();
    const response = await transport.handleRequest(request, { parsedBody: body });
    // The stream is open, and what is told now comes on it. Its own end is far away.
    if (request.method === 'GET' && response.ok) notices.answered('');
    const cancelled = cancelledBy(body);
    if (cancelled !== undefined && alone.has(cancelled)) transport.closeSSEStream(cancelled);
    if (response.ok && isSpecType.SetLevelRequest(body)) {
      record.change({ logLevel: body.params.level });
    }
    return response;
  };
}

function cancelledBy(body: unknown): RequestId | undefined {
  const { method, params } = (body ?? {}) as {
    readonly method?: unknown;
    readonly params?: { readonly requestId?: RequestId };
  };
  return method === 'notifications/cancelled' ? params?.requestId : undefined;
}
