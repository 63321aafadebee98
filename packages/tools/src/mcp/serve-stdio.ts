/*
 * One MCP connection over byte streams, from the first message to the last.
 *
 * The opening message decides the revision of the protocol; the library pins it. Closing, from either side, stops the
 * waiting and touches no run.
 */
import { deferred } from '@clawdfather/kit';
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Tools } from '../tools.ts';
import { createExitNotices, type ExitNotices } from './exit-notices.ts';
import { createLineTransport, type LineStreams } from './line-transport.ts';
import { createMcpServer, type McpServerDeps } from './mcp-server.ts';
import { pushExit, type Pushing } from './push-exit.ts';
import { parseRunUri } from './run-resource.ts';

export interface McpStdioDeps extends McpServerDeps {
  readonly tools: McpServerDeps['tools'] & Pick<Tools, 'waitForEnd'>;
  /* Runs that earlier servers left: this connection hears of their ends. */
  readonly takenOver?: Promise<readonly string[]>;
}

export interface McpConnection {
  /* Resolves when the other side is gone, or after `close`. */
  readonly closed: Promise<void>;
  close(): Promise<void>;
}

/* Who waits for the ends, in the log. */
const requester = 'mcp:exit-notices';

export function serveMcpStdio(deps: McpStdioDeps, streams: LineStreams): McpConnection {
  const { log, account, sessionId } = deps;
  const closed = deferred();
  /* The last one is the one that stays: a client that asks for the newest revision first may go on with an earlier one. */
  let pinned: Pushing | undefined;
  const notices = createExitNotices({
    waitForEnd: (runId, signal) =>
      deps.tools.waitForEnd(runId, { signal, requester, account, sessionId }),
    push: async (notice) => {
      if (pinned !== undefined) await pushExit(pinned, notice);
    },
    log,
  });
  const transport = createLineTransport(streams, (message) => hearSent(notices, message));
  const handle = serveStdio(
    ({ era }) => {
      log.debug('mcp-connected', { era });
      const server = createMcpServer(deps, { era, notices });
      pinned = { server, era };
      return server;
    },
    {
      transport,
      onerror: (error) => log.debug('mcp-protocol', { error }),
    },
  );
  const { onclose } = transport;
  transport.onclose = () => {
    notices.close();
    onclose?.();
    closed.resolve();
  };
  deps.takenOver
    ?.then((runIds) => {
      for (const runId of runIds) notices.follow(runId);
    })
    .catch((error: unknown) => log.debug('mcp-taken-over-unknown', { error }));
  return { closed: closed.promise, close: () => handle.close() };
}

/* An answer ends a call; the confirmation of a subscription names what is listened to. */
function hearSent(notices: ExitNotices, message: JSONRPCMessage): void {
  if ('method' in message) {
    if (message.method !== 'notifications/subscriptions/acknowledged') return;
    for (const uri of listenedTo(message.params)) {
      const runId = parseRunUri(uri);
      if (runId !== undefined) notices.subscribed(runId);
    }
  } else if (message.id !== undefined) notices.answered(message.id);
}

function listenedTo(params: Readonly<Record<string, unknown>> | undefined): readonly string[] {
  const { resourceSubscriptions = [] } = (params?.['notifications'] ?? {}) as {
    readonly resourceSubscriptions?: readonly string[];
  };
  return resourceSubscriptions;
}
