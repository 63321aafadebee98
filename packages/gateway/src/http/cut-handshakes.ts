/*
 * Connections whose TLS handshake is not done. The server does not know them, so closing would wait for them, and a client that
 * connects and sends nothing could delay every stop.
 */
import type { Server, Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

export function cutHandshakesOnClose(server: FastifyInstance): void {
  const shaking = new Map<string, Socket>();
  const listening: Server = server.server;
  let isClosing = false;
  listening.on('connection', (connection: Socket) => {
    const name = nameOf(connection);
    if (isClosing) connection.destroy();
    else shaking.set(name, connection);
    connection.once('close', () => {
      if (shaking.get(name) === connection) shaking.delete(name);
    });
  });
  // Another object for the same connection: what it is called tells.
  listening.on('secureConnection', (connection: Socket) => shaking.delete(nameOf(connection)));
  // Those that have shaken hands are left to the server, which closes each in its own way.
  server.addHook('preClose', async () => {
    isClosing = true;
    for (const connection of shaking.values()) connection.destroy();
  });
}

function nameOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
