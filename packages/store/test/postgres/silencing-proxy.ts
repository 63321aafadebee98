/*
 * A TCP proxy in front of PostgreSQL that passes a message on and keeps its answer to itself.
 *
 * It looks for a word in what the client sends. When armed, the first connection that says it has the message delivered;
 * the server's answer is read, so the server has done it, and then nothing: the connection is cut, or stays open and silent.
 */
import { connect, createServer, type Socket } from 'node:net';
import { once } from 'node:events';

export interface SilencingProxy extends AsyncDisposable {
  readonly port: number;
  /** Swallows the answer to the next message with this word; resolves when that has happened. */
  silence(word: string, manner: 'cut' | 'hang'): Promise<void>;
}

interface Order {
  readonly word: string;
  readonly manner: 'cut' | 'hang';
  readonly done: () => void;
}

export async function openSilencingProxy(socketPath: string): Promise<SilencingProxy> {
  const sockets = new Set<Socket>();
  let order: Order | undefined;

  const server = createServer((client) => {
    const upstream = connect(socketPath);
    let taken: Order | undefined;
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {
        /* The other side is told by the close that follows. */
      });
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.on('data', (bytes) => {
      if (order !== undefined && bytes.includes(order.word)) {
        taken = order;
        order = undefined;
      }
      upstream.write(bytes);
    });
    upstream.on('data', (bytes) => {
      if (taken === undefined) {
        client.write(bytes);
        return;
      }
      if (taken.manner === 'cut') client.destroy();
      taken.done();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    port: address.port,
    silence: (word, manner) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      order = { word, manner, done: resolve };
      return promise;
    },
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
