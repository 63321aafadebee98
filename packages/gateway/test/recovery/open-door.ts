/*
 * The way to a host, which can be shut: then nothing listens there, and what was open is gone.
 */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export async function openDoor(sshdPort: number) {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(sshdPort, '127.0.0.1');
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
    client.pipe(upstream);
    upstream.pipe(client);
  });
  let port = 0;
  const open = async (): Promise<void> => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
  };
  const shut = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    if (!server.listening) return;
    server.close();
    await once(server, 'close');
  };
  await open();
  return { port, open, shut, [Symbol.asyncDispose]: shut };
}
