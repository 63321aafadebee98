/*
 * `fetch` to the gateway of this machine when it has TLS. Its certificate is for the name that people use, not for the address
 * here, and may be of its own making; so the very certificate is asked for that gateway.json names, a file that only its owner
 * can write. Nothing is sent before it was seen.
 */
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { Readable } from 'node:stream';
import { connect, type TLSSocket } from 'node:tls';
import type { Fetch } from '@clawdfather/sdk';

export function createPinnedFetch(fingerprint: string): Fetch {
  return async (url, init) => {
    const socket = await openPinnedConnection(new URL(url), fingerprint);
    try {
      return await send(socket, url, init);
    } catch (error) {
      socket.destroy();
      throw error;
    }
  };
}

/* Rejects, and has sent nothing, if the certificate is another. */
export async function openPinnedConnection(
  { hostname, port }: Pick<URL, 'hostname' | 'port'>,
  fingerprint: string,
): Promise<TLSSocket> {
  const host = hostname.replace(/^\[|\]$/g, '');
  // Checked below, by what it is instead of by what it says.
  const socket = connect({ host, port: Number(port || 443), rejectUnauthorized: false });
  try {
    await once(socket, 'secureConnect');
  } catch (error) {
    socket.destroy();
    throw error;
  }
  if (socket.getPeerCertificate().fingerprint256 === fingerprint) return socket;
  socket.destroy();
  throw new Error(
    'its certificate is not the one that the gateway of this machine was started with',
  );
}

async function send(socket: TLSSocket, url: string, init: RequestInit): Promise<Response> {
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
  const answer = await promise;
  const isEmpty = answer.statusCode === 204 || answer.statusCode === 304;
  if (isEmpty) answer.resume();
  return new Response(isEmpty ? null : (Readable.toWeb(answer) as ReadableStream<Uint8Array>), {
    status: answer.statusCode ?? 500,
    headers: Object.entries(answer.headers).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
    ),
  });
}
