/*
 * One HTTP exchange between Fastify and the protocol's library, which speaks the web's `Request` and `Response`.
 *
 * It knows how the exchange ended. If the whole answer went out, it was delivered. Otherwise the connection was closed before that.
 * A client that closes it (or dies, which looks the same) has left and cancels its request. A broken network, a revoked token and
 * a gateway that stops cancel nothing.
 *
 * The library sees only the headers it needs, and never the token.
 */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { hasErrno } from '@clawdfather/kit';
import type { Caller } from '../http/caller.ts';
import type { McpRequest } from './mcp-request.ts';

export interface Exchange {
  readonly mcp: McpRequest;
  readonly web: Request;
  readonly body: unknown;
  /* From our side, which cancels nothing. */
  drop(): void;
  send(response: Response): Promise<void>;
}

export interface ExchangeParts {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly caller: Caller;
  readonly isClosing: () => boolean;
}

/* Made once: an error costs a stack. */
const clientLeft = new Error('the client closed the request');
const connectionGone = new Error('the connection is gone');

/* The client did not close the connection. */
const lossCodes = ['ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'EHOSTDOWN', 'ENETDOWN'];

/* What the library answers when its client is gone. */
const nobodyListens = 499;

let exchanges = 0;

export function openExchange({ request, reply, caller, isClosing }: ExchangeParts): Exchange {
  const { raw } = reply;
  const left = new AbortController();
  const gone = new AbortController();
  const listeners: ((isDelivered: boolean) => void)[] = [];
  let isDropped = false;
  let isLost = false;
  exchanges += 1;
  whenClosed(reply, () => {
    isLost = !raw.writableFinished;
    if (isLost) {
      const isOurs = isDropped || isClosing();
      if (!isOurs && !isLoss(request.raw.socket.errored)) left.abort(clientLeft);
      gone.abort(connectionGone);
    }
    for (const listener of listeners) listener(!isLost);
  });
  return {
    mcp: {
      serial: exchanges,
      caller,
      ip: request.ip,
      traceId: request.trace.traceId,
      left: left.signal,
      isLost: () => isLost,
      onDone: (listener) => void listeners.push(listener),
    },
    web: new Request(here, {
      method: request.method,
      headers: passedOn(request),
      signal: gone.signal,
    }),
    body: parseBody(request.body),
    drop: () => {
      isDropped = true;
      raw.destroy();
    },
    send: (response) => send(reply, response),
  };
}

/* Also where the connection was closed while the request was still being read: then there is no event any more. */
function whenClosed({ raw }: FastifyReply, onClose: () => void): void {
  if (raw.closed) queueMicrotask(onClose);
  else raw.once('close', onClose);
}

/* True for an end of the connection that the other side did not bring about. */
export function isLoss(error: unknown): boolean {
  return hasErrno(error, ...lossCodes);
}

/* The library wants some address; ours is nothing to it. */
const here = 'http://gateway.invalid/mcp';
const passedHeaders = [
  'accept',
  'content-type',
  'last-event-id',
  'mcp-method',
  'mcp-name',
  'mcp-protocol-version',
  'mcp-session-id',
] as const;

function passedOn({ headers }: FastifyRequest): [string, string][] {
  return passedHeaders.flatMap((name) => {
    const value = headers[name];
    return typeof value === 'string' ? [[name, value] as [string, string]] : [];
  });
}

function parseBody(body: unknown): unknown {
  if (!Buffer.isBuffer(body)) return undefined;
  try {
    return JSON.parse(body.toString('utf8')) as unknown;
  } catch {
    /* Answered as what it is, in the protocol's own words. */
    return undefined;
  }
}

async function send(reply: FastifyReply, response: Response): Promise<void> {
  const { raw } = reply;
  const { status, headers, body } = response;
  reply.hijack();
  if (raw.destroyed || status === nobodyListens) {
    await body?.cancel();
    raw.destroy();
    return;
  }
  // Node decides about the connection.
  const { connection: _connection, ...named } = Object.fromEntries(headers);
  raw.writeHead(status, { ...(reply.getHeaders() as Record<string, string>), ...named });
  if (body === null) {
    raw.end();
  } else if (named['content-type']?.startsWith('text/event-stream') === true) {
    // A stream may be silent for long; its reader waits for the headers.
    raw.flushHeaders();
    // `close` reports a client that leaves in the middle.
    await pipeline(Readable.fromWeb(body), raw).catch(() => raw.destroy());
  } else raw.end(Buffer.from(await response.arrayBuffer()));
}
