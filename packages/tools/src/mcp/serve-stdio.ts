/*
 * One MCP connection over byte streams, from the first message to the last.
 *
 * The opening message decides the revision of the protocol; the library pins it. Closing, from either side, stops the
 * waiting and touches no run.
 */
import { deferred } from '@clawdfather/kit';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { createLineTransport, type LineStreams } from './line-transport.ts';
import { createMcpServer, type McpServerDeps } from './mcp-server.ts';

export interface McpConnection {
  /* Resolves when the other side is gone, or after `close`. */
  readonly closed: Promise<void>;
  close(): Promise<void>;
}

export function serveMcpStdio(deps: McpServerDeps, streams: LineStreams): McpConnection {
  const closed = deferred();
  const transport = createLineTransport(streams);
  const handle = serveStdio(
    ({ era }) => {
      deps.log.debug('mcp-connected', { era });
      return createMcpServer(deps);
    },
    {
      transport,
      onerror: (error) => deps.log.debug('mcp-protocol', { error }),
    },
  );
  const { onclose } = transport;
  transport.onclose = () => {
    onclose?.();
    closed.resolve();
  };
  return { closed: closed.promise, close: () => handle.close() };
}
