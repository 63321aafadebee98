/*
 * A session that an earlier gateway began: a new server of the library is given the messages that the client sent then, the handshake
 * and the level of the log, and knows as much as the earlier one.
 *
 * Of the client only its name is needed. We ask nothing of clients, so their capabilities are not kept.
 */
import type { McpSession } from '@clawdfather/store';
import type {
  McpServer,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import type { SessionFacts } from './session-record.ts';

export interface SessionServer {
  readonly id: string;
  readonly server: McpServer;
  readonly transport: WebStandardStreamableHTTPServerTransport;
}

/* The library wants some address; nobody listens there. */
const here = 'http://gateway.invalid/mcp';

/* False: this version cannot go on with it. */
export async function replaySession(
  { id, server, transport }: SessionServer,
  kept: McpSession,
): Promise<boolean> {
  const headers = {
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
    'mcp-session-id': id,
  };
  const send = async (message: object): Promise<void> => {
    const request = new Request(here, { method: 'POST', headers });
    const parsedBody = { jsonrpc: '2.0', ...message };
    const response = await transport.handleRequest(request, { parsedBody });
    // It is complete when the message has been dealt with.
    await response.arrayBuffer();
  };
  const { protocolVersion, clientName: name, clientVersion: version, logLevel: level } = kept;
  const params = { protocolVersion, capabilities: {}, clientInfo: { name, version } };
  await send({ id: 'handshake', method: 'initialize', params });
  if (factsOf(server)?.protocolVersion !== protocolVersion) return false;
  await send({ method: 'notifications/initialized' });
  if (level !== undefined)
    await send({ id: 'level', method: 'logging/setLevel', params: { level } });
  return true;
}

/* What was agreed; undefined before the handshake. */
export function factsOf({ server }: McpServer): SessionFacts | undefined {
  const protocolVersion = server.getNegotiatedProtocolVersion();
  const client = server.getClientVersion();
  if (protocolVersion === undefined || client === undefined) return undefined;
  return { protocolVersion, clientName: client.name, clientVersion: client.version };
}
