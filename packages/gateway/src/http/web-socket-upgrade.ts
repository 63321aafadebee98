/*
 * Which requests leave HTTP: those that ask for a WebSocket, and no others.
 *
 * A server may ignore `Upgrade` (RFC 9110, 7.8), and clients that prefer HTTP/2 send `Upgrade: h2c` with every first request. Such
 * a request is answered as any other of HTTP/1.1; without this, Node hands every request with `Upgrade` to the sockets, which
 * know nothing at its path.
 */
import type { IncomingMessage } from 'node:http';

export function isWebSocketUpgrade({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return headers.upgrade?.trim().toLowerCase() === 'websocket';
}
