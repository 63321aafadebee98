/*
 * A WebSocket over a connection that is opened, and looked at, before anything is sent; the counterpart of connection-fetch.ts.
 *
 * Node's own WebSocket cannot do this: it takes no connection and no check of a certificate without the package that it is made
 * of. `ws` is here anyway, with the gateway, and can also stop reading while a terminal is slow.
 */
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Duplex } from 'node:stream';
import type { OpenSocket } from '@clawdfather/sdk';
import { WebSocket } from 'ws';
import type { OpenConnection } from './open-connection.ts';

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

export function createSocketOver(open: OpenConnection): OpenSocket {
  return (url) => new WebSocket(url, { ...socketOptions, agent: agentOver(open, new URL(url)) });
}

/* For one connection: it is handed over to the WebSocket, and none is kept. */
function agentOver(open: OpenConnection, { protocol, hostname, port }: URL): HttpAgent {
  const isTls = protocol === 'wss:';
  const agent = new (isTls ? HttpsAgent : HttpAgent)({ keepAlive: false });
  const place = { protocol: isTls ? 'https:' : 'http:', hostname, port };
  agent.createConnection = (_options, onCreated) => {
    open(place, undefined).then(
      (socket) => onCreated?.(null, socket),
      // The type asks for a stream where Node takes none.
      (error: Error) => onCreated?.(error, undefined as unknown as Duplex),
    );
    return undefined;
  };
  return agent;
}
