/*
 * Adds a token to every request, for programs that cannot send one. Everything else goes through as it came; in names and origins our
 * own port stands for the gateway's.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, request as requestTo } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';

export interface BearerProxy extends AsyncDisposable {
  readonly url: string;
}

export async function openBearerProxy(to: URL, token: string): Promise<BearerProxy> {
  const server = createServer((incoming, outgoing) => {
    const onward = requestTo(to, {
      method: incoming.method ?? 'GET',
      headers: { ...namedAs(incoming, to), authorization: `Bearer ${token}` },
    });
    onward.on('response', (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      outgoing.flushHeaders();
      pipeline(answer, outgoing).catch(() => outgoing.destroy());
    });
    onward.on('error', () => outgoing.destroy());
    outgoing.once('close', () => onward.destroy());
    incoming.pipe(onward);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function namedAs({ headers, socket }: IncomingMessage, to: URL) {
  const { host = '', origin } = headers;
  const own = `:${socket.localPort}`;
  const renamed = (name: string): string => name.replace(own, `:${to.port}`);
  return {
    ...headers,
    host: renamed(host),
    ...(origin === undefined ? {} : { origin: renamed(origin) }),
  };
}
