/*
 * A WebSocket to the gateway of this machine when it has TLS; the counterpart of pinned-fetch.ts, with the same check.
 *
 * Node's own WebSocket cannot do this: it takes no connection and no check of a certificate without the package that it is made
 * of. `ws` is here anyway, with the gateway, and can also stop reading while a terminal is slow.
 */
import { Agent } from 'node:https';
import type { Duplex } from 'node:stream';
import type { OpenSocket } from '@clawdfather/sdk';
import { WebSocket } from 'ws';
import { openPinnedConnection } from './pinned-fetch.ts';

/* A gateway that does not answer a goodbye keeps the command from ending for no longer than this. */
const closeMs = 1_000;
/* Sixteen of the largest messages that a gateway sends; beyond it, it is none. */
const messageBytesMax = 1024 * 1024;

/* The types do not know `closeTimeout` yet, so this is no literal where it is used. */
const socketOptions = {
  perMessageDeflate: false,
  closeTimeout: closeMs,
  maxPayload: messageBytesMax,
} as const;

export function createPinnedSocket(fingerprint: string): OpenSocket {
  return (url) => new WebSocket(url, { ...socketOptions, agent: new PinnedAgent(fingerprint) });
}

/* For one connection: it is handed over to the WebSocket, and none is kept. */
class PinnedAgent extends Agent {
  readonly #fingerprint: string;

  constructor(fingerprint: string) {
    super({ keepAlive: false });
    this.#fingerprint = fingerprint;
  }

  override createConnection(
    { host, port }: { readonly host?: string | null; readonly port?: string | number | null },
    onCreated?: (error: Error | null, stream: Duplex) => void,
  ): undefined {
    const place = { hostname: host ?? 'localhost', port: String(port ?? '') };
    openPinnedConnection(place, this.#fingerprint).then(
      (socket) => onCreated?.(null, socket),
      // The type asks for a stream where Node takes none.
      (error: Error) => onCreated?.(error, undefined as unknown as Duplex),
    );
  }
}
