/*
 * Our server behind HTTP on this machine, for programs that want an address. The gateway will do this for real; here it is only
 * as much as an examination needs.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { TestContext } from 'node:test';
import {
  createMcpHandler,
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  originValidationResponse,
} from '@modelcontextprotocol/server';
import { createExitNotices } from '../../src/mcp/exit-notices.ts';
import { createMcpServer, type McpServerDeps } from '../../src/mcp/index.ts';

export async function serveHttp(test: TestContext, deps: McpServerDeps): Promise<URL> {
  /* What a lasting connection announces is examined too, although nothing ends here. */
  const notices = createExitNotices({
    waitForEnd: () => Promise.reject(new Error('nothing runs here')),
    push: async () => {},
    log: deps.log,
  });
  const handler = createMcpHandler(({ era }) => createMcpServer(deps, { era, notices }));
  const answer = async (request: Request): Promise<Response> =>
    hostHeaderValidationResponse(request, localhostAllowedHostnames()) ??
    originValidationResponse(request, localhostAllowedOrigins()) ??
    handler.fetch(request);
  const server = createServer((incoming, outgoing) => {
    // A client that hangs up in the middle is its own affair.
    exchange(incoming, outgoing, answer).catch(() => outgoing.destroy());
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', resolve);
  await promise;
  test.after(async () => {
    await handler.close();
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  });
  const { port } = server.address() as AddressInfo;
  return new URL(`http://127.0.0.1:${port}/mcp`);
}

async function exchange(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  answer: (request: Request) => Promise<Response>,
): Promise<void> {
  const leaving = new AbortController();
  outgoing.on('close', () => leaving.abort());
  const body = incoming.method === 'POST' ? Buffer.concat(await incoming.toArray()) : undefined;
  const headers = Object.entries(incoming.headersDistinct).flatMap(([name, values]) =>
    (values ?? []).map((value) => [name, value] as [string, string]),
  );
  const response = await answer(
    new Request(`http://${incoming.headers.host ?? ''}${incoming.url ?? '/'}`, {
      method: incoming.method ?? 'GET',
      headers,
      signal: leaving.signal,
      ...(body === undefined ? {} : { body }),
    }),
  );
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  if (response.body === null) outgoing.end();
  else await pipeline(Readable.fromWeb(response.body as never), outgoing);
}
