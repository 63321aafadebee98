/*
 * A TCP proxy between a client and a gateway that may move, and that cuts connections where it is told to.
 */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface CuttingProxy extends AsyncDisposable {
  readonly url: string;
  /* Connections that came so far. */
  readonly connections: number;
  /* New connections go there. */
  target(url: string): void;
  /* Each connection is cut after so many bytes for the client; undefined passes all. */
  cutAfter(bytes: number | undefined): void;
}

export async function openCuttingProxy(gatewayUrl: string): Promise<CuttingProxy> {
  const sockets = new Set<Socket>();
  let port = Number(new URL(gatewayUrl).port);
  let bytesMax: number | undefined;
  let connections = 0;

  const server = createServer((client) => {
    connections += 1;
    const upstream = connect(port, '127.0.0.1');
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      // The other side is told by the close that follows.
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    let passed = 0;
    client.pipe(upstream);
    upstream.on('data', (chunk: Buffer) => {
      const rest = bytesMax === undefined ? chunk.length : Math.max(0, bytesMax - passed);
      passed += chunk.length;
      if (!client.write(chunk.subarray(0, rest))) {
        upstream.pause();
        client.once('drain', () => upstream.resume());
      }
      if (rest < chunk.length) client.destroySoon();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get connections() {
      return connections;
    },
    target: (url) => {
      port = Number(new URL(url).port);
    },
    cutAfter: (bytes) => {
      bytesMax = bytes;
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
