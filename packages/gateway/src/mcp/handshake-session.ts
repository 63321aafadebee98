/*
 * An MCP session of the revisions that begin with `initialize`: one server of the library. Requests, cancellations and the stream
 * of notices come as HTTP requests of their own and are joined by the session's id.
 *
 * A request whose connection breaks is not cancelled (their specification says so): only `notifications/cancelled` is. The library
 * never answers a cancelled request and would leave its stream open, so it is closed here.
 */
import { createMcpServer, pushExit } from '@clawdfather/tools/mcp';
import {
  isJSONRPCRequest,
  type McpServer,
  type RequestId,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import type { Caller } from '../http/caller.ts';
import { createClientBase, type McpClient, type McpClientDeps } from './mcp-client.ts';
import { currentRequest } from './mcp-request.ts';
import { noticesOfSession } from './request-notices.ts';

export interface NewSession {
  readonly id: string;
  readonly caller: Caller;
  /* The client has ended it. */
  readonly onEnded: () => void;
}

export async function openHandshakeSession(
  deps: McpClientDeps,
  { id, caller, onEnded }: NewSession,
): Promise<McpClient> {
  const { log } = deps;
  const { notices, heardOf, serverDeps, follow } = createClientBase(deps, caller, {
    cancelsByLeaving: false,
    // Goes to the session's stream; where none is open, the next result tells.
    push: (notice) => pushExit({ server, era: 'legacy', sessionId: id }, notice),
  });
  const server: McpServer = createMcpServer(serverDeps, {
    era: 'legacy',
    notices: noticesOfSession(notices),
  });
  server.server.onerror = (error) => log.debug('mcp-protocol', { error });
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: () => id,
    onsessionclosed: onEnded,
  });
  await server.connect(transport);
  /* Requests that have a stream to themselves; those of a batch share one. */
  const alone = new Set<RequestId>();
  return {
    caller,
    heardOf,
    follow,
    serve: async (request, body) => {
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
      const cancelled = cancelledBy(body);
      if (cancelled !== undefined && alone.has(cancelled)) transport.closeSSEStream(cancelled);
      return response;
    },
    close: async () => {
      notices.close();
      await server.close();
    },
  };
}

function cancelledBy(body: unknown): RequestId | undefined {
  const { method, params } = (body ?? {}) as {
    readonly method?: unknown;
    readonly params?: { readonly requestId?: RequestId };
  };
  return method === 'notifications/cancelled' ? params?.requestId : undefined;
}
