/*
 * The answer to an upgrade that is refused, in the shape of every other refusal.
 */
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ApiError } from '../http/api-error.ts';

export function refuseUpgrade(
  socket: Duplex,
  refusal: ApiError,
  usual: Readonly<Record<string, string>> = {},
): void {
  const { status, code, message, detail } = refusal;
  const headers = { ...usual, ...refusal.headers };
  const body = JSON.stringify({ error: { code, message, detail } });
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    'connection: close',
    'content-type: application/json; charset=utf-8',
    'cache-control: no-store',
    `content-length: ${Buffer.byteLength(body)}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  // The client may be gone already.
  socket.on('error', () => {});
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}
