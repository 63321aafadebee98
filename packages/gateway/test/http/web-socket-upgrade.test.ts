/*
 * A request that offers another protocol than WebSocket is answered as HTTP/1.1, and its connection goes on.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { isWebSocketUpgrade } from '../../src/http/web-socket-upgrade.ts';
import { openTestGateway } from '../fixtures/open-test-gateway.ts';

/* Sends one request after the other over one connection; resolves with the status line of each answer. */
async function askInTurn(url: string, requests: readonly string[]): Promise<readonly string[]> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  await once(socket, 'connect');
  const statusLines: string[] = [];
  try {
    for (const request of requests) {
      socket.write(request);
      statusLines.push(await readAnswer(socket));
    }
  } finally {
    socket.destroy();
  }
  return statusLines;
}

async function readAnswer(socket: ReturnType<typeof connect>): Promise<string> {
  let text = '';
  for (;;) {
    const end = text.indexOf('\r\n\r\n');
    const length = Number(/^content-length: (\d+)$/im.exec(text)?.[1]);
    if (end >= 0 && text.length >= end + 4 + length) return text.slice(0, text.indexOf('\r\n'));
    const [chunk] = await Promise.race([
      once(socket, 'data'),
      once(socket, 'end').then(() => assert.fail(`the connection ended after: ${text}`)),
    ]);
    text += String(chunk);
  }
}

function requestFor(url: string, path: string, headers: readonly string[]): string {
  return [`GET ${path} HTTP/1.1`, `Host: ${new URL(url).host}`, ...headers, '', ''].join('\r\n');
}

test('Upgrade: h2c is ignored: the request is answered, and keep-alive goes on', async () => {
  await using rig = await openTestGateway();
  const { url, owner } = rig;
  const offer = ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABk'];
  const token = `Authorization: Bearer ${owner.token}`;
  const answers = await askInTurn(url, [
    requestFor(url, '/health', offer),
    requestFor(url, '/api/v1/auth/me', [...offer, token]),
    requestFor(url, '/api/v1/runs', ['Connection: Upgrade', 'Upgrade: TLS/1.3', token]),
    requestFor(url, '/api/v1/auth/me', [...offer]),
    requestFor(url, '/health', []),
  ]);
  assert.deepEqual(answers, [
    'HTTP/1.1 200 OK',
    'HTTP/1.1 200 OK',
    'HTTP/1.1 200 OK',
    'HTTP/1.1 401 Unauthorized',
    'HTTP/1.1 200 OK',
  ]);
});

test('only a request for a WebSocket leaves HTTP', () => {
  const upgrades = [undefined, '', 'h2c', 'TLS/1.3', 'h2c, websocket', 'websocket', 'WebSocket'];
  assert.deepEqual(
    upgrades.filter((upgrade) => isWebSocketUpgrade({ headers: { upgrade } })),
    ['websocket', 'WebSocket'],
  );
});
