/*
 * `fetch` over a connection that is looked at first: nothing is sent to one that is refused, and answers are as those of `fetch`.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { createClient } from '@clawdfather/sdk';
import { createFetchOver } from '../../src/sign-in/connection-fetch.ts';
import { createLookedAtConnection } from '../../src/sign-in/looked-at-connection.ts';
import { isOnThisMachine } from '../../src/sign-in/on-this-machine.ts';
import type { Peer } from '../../src/sign-in/peer/look-at-peer.ts';

async function open(t: TestContext, peer: Peer, answer: RequestListener) {
  let bytes = 0;
  const server = createServer(answer);
  server.on('connection', (socket) => socket.on('data', (data) => (bytes += data.length)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server[Symbol.asyncDispose]());
  const { port } = server.address() as AddressInfo;
  const fetch = createFetchOver(createLookedAtConnection('/nowhere', async () => peer));
  const client = createClient({ baseUrl: `http://127.0.0.1:${port}`, token: 'secret', fetch });
  return { client, received: () => bytes };
}

test('nothing is sent to a shielded command, and the error says which it is', async (t) => {
  for (const [peer, words] of [
    [{ kind: 'shielded', pid: 7, runId: undefined }, /a shielded command: process 7$/],
    [{ kind: 'unknown' }, /^it cannot be seen who listens at 127\.0\.0\.1:\d+$/],
  ] as const) {
    const { client, received } = await open(t, peer, (_request, response) => response.end('{}'));
    await assert.rejects(client.auth.me(), { code: 'gateway-port-taken', message: words });
    assert.equal(received(), 0);
  }
});

test('an answer that sends its callers elsewhere is not followed', async (t) => {
  const { client } = await open(t, { kind: 'fine' }, (_request, response) =>
    response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
  );
  await assert.rejects(client.auth.me(), { code: 'answer-invalid', message: /elsewhere/ });
});

test('what is of this machine is known by its address, and over http also by its name', async () => {
  const rows = [
    ['http://127.0.0.1:8420', true],
    ['http://127.9.9.9', true],
    ['http://[::1]:8420', true],
    ['https://[::1]', true],
    ['http://localhost:8420', true],
    ['http://box.localhost', true],
    ['http://192.0.2.7', false],
    ['https://[2001:db8::1]', false],
    // It would have to be looked up.
    ['https://clawd.invalid', false],
  ] as const;
  for (const [url, isHere] of rows) assert.equal(await isOnThisMachine(new URL(url)), isHere, url);
});
