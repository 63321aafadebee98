/*
 * `fetch` over a connection that is opened, and looked at, before anything is sent. One connection for each request.
 */
import { type IncomingMessage, request } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { Fetch } from '@clawdfather/sdk';
import type { OpenConnection } from './open-connection.ts';

export function createFetchOver(open: OpenConnection): Fetch {
  return async (url, init) => {
    const socket = await open(new URL(url), init.signal ?? undefined);
    try {
      return await send(socket, url, init);
    } catch (error) {
      socket.destroy();
      throw error;
    }
  };
}

async function send(socket: Socket, url: string, init: RequestInit): Promise<Response> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const { method = 'GET', headers, body, signal } = init;
  const { host, pathname, search } = new URL(url);
  const asked = request(
    {
      createConnection: () => socket,
      method,
      path: `${pathname}${search}`,
      headers: { host, ...Object.fromEntries(new Headers(headers)), connection: 'close' },
      ...(signal === undefined || signal === null ? {} : { signal }),
    },
    resolve,
  );
  asked.on('error', reject);
  asked.end(typeof body === 'string' ? body : undefined);
  return responseOf(await promise);
}

function responseOf(answer: IncomingMessage): Response {
  const { statusCode = 500 } = answer;
  if (statusCode >= 300 && statusCode < 400 && answer.headers.location !== undefined) {
    // As `fetch` says it: its callers ask for no redirects.
    throw new TypeError('fetch failed', { cause: new Error('unexpected redirect') });
  }
  const isEmpty = statusCode === 204 || statusCode === 304;
  if (isEmpty) answer.resume();
  return new Response(isEmpty ? null : (Readable.toWeb(answer) as ReadableStream<Uint8Array>), {
    status: statusCode,
    headers: Object.entries(answer.headers).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
    ),
  });
}
