/*
 * A client of 2026-07-28. The protocol has no session: each request is served by a server of its own. What is remembered, by token
 * and name, is which ends it is still to be told, and the bus that its listening streams hang on: a bus for each client, so that
 * a client cannot learn of another account's runs by naming them.
 *
 * Closing a request before its answer is how this revision cancels it.
 */
import { createMcpServer, formatExitUpdate, parseRunUri } from '@clawdfather/tools/mcp';
import { createMcpHandler, InMemoryServerEventBus } from '@modelcontextprotocol/server';
import type { Caller } from '../http/caller.ts';
import { subscriptionsMax } from './limits.ts';
import { createClientBase, type McpClient, type McpClientDeps } from './mcp-client.ts';
import { currentRequest } from './mcp-request.ts';
import { noticesOfRequest } from './request-notices.ts';

export function openStatelessClient(deps: McpClientDeps, caller: Caller): McpClient {
  const { log } = deps;
  const onerror = (error: Error): void => log.debug('mcp-protocol', { error });
  const bus = new InMemoryServerEventBus(onerror);
  const { notices, heardOf, serverDeps, follow } = createClientBase(deps, caller, {
    cancelsByLeaving: true,
    push: async (notice) => {
      const { uri, _meta } = formatExitUpdate(notice);
      bus.publish({ kind: 'resource_updated', uri, params: { _meta } });
    },
  });
  const handler = createMcpHandler(
    () =>
      createMcpServer(serverDeps, {
        era: 'modern',
        notices: noticesOfRequest(notices, currentRequest()),
      }),
    { legacy: 'reject', bus, maxSubscriptions: subscriptionsMax, onerror },
  );
  return {
    caller,
    heardOf,
    follow,
    serve: async (request, body) => {
      currentRequest().onDone((isDelivered) => isDelivered && notices.answered(''));
      const response = await handler.fetch(request, { parsedBody: body });
      if (isStream(response)) {
        for (const runId of listenedTo(body)) {
          // The confirmation is in the stream already; what is told now comes after it.
          notices.answered('');
          notices.subscribed(runId);
        }
      }
      return response;
    },
    close: async () => {
      notices.close();
      await handler.close();
    },
  };
}

function isStream(response: Response): boolean {
  return response.headers.get('content-type')?.startsWith('text/event-stream') === true;
}

function listenedTo(body: unknown): readonly string[] {
  const { method, params } = body as {
    readonly method?: unknown;
    readonly params?: {
      readonly notifications?: { readonly resourceSubscriptions?: readonly string[] };
    };
  };
  if (method !== 'subscriptions/listen') return [];
  const uris = params?.notifications?.resourceSubscriptions ?? [];
  return uris.map(parseRunUri).filter((runId) => runId !== undefined);
}
