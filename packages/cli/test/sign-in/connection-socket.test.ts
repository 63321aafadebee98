/*
 * A WebSocket over a connection that is looked at first: over TLS to a server whose certificate is of its own making, by its
 * fingerprint, and to no other.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createSystemClock, createSystemRandom } from '@clawdfather/kit';
import { createClient, openTerminal, type SocketEvent } from '@clawdfather/sdk';
import { WebSocketServer } from 'ws';
import { CliError } from '../../src/errors.ts';
import { createSocketOver } from '../../src/sign-in/connection-socket.ts';
import { createPinnedConnection } from '../../src/sign-in/pinned-connection.ts';

const createPinnedSocket = (fingerprint: string) =>
  createSocketOver(createPinnedConnection(fingerprint));

const skip = spawnSync('openssl', ['version']).status === 0 ? false : 'no openssl here';

function makeCertificate() {
  const directory = mkdtempSync(join(tmpdir(), 'clf-pinned-'));
  try {
    const [cert, key] = [join(directory, 'cert.pem'), join(directory, 'key.pem')];
    const kind = '-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 5 -subj /CN=x';
    const files = ['-keyout', key, '-out', cert];
    const made = spawnSync('openssl', ['req', '-x509', ...kind.split(' '), ...files]);
    assert.equal(made.status, 0, String(made.stderr));
    return { cert: readFileSync(cert), key: readFileSync(key) };
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/* Says everything back, and counts what came. */
async function openEcho() {
  const certificate = makeCertificate();
  const server = createServer(certificate);
  const sockets = new WebSocketServer({ server });
  let bytes = 0;
  server.on('secureConnection', (socket) => {
    socket.on('data', (chunk: Buffer) => (bytes += chunk.length));
  });
  sockets.on('connection', (socket) =>
    socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary })),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    sockets,
    baseUrl: `https://127.0.0.1:${port}`,
    url: `wss://127.0.0.1:${port}/ws`,
    fingerprint: new X509Certificate(certificate.cert).fingerprint256,
    get receivedBytes() {
      return bytes;
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets.clients) socket.terminate();
      sockets.close();
      server.close();
      // It comes when no connection is left.
      await once(server, 'close');
    },
  };
}

test('the very certificate is trusted, whatever name it has', { skip }, async () => {
  await using server = await openEcho();
  const socket = createPinnedSocket(server.fingerprint)(server.url);
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  socket.addEventListener('open', () => socket.send('hello'));
  socket.addEventListener('message', ({ data }) => resolve(data));
  socket.addEventListener('error', ({ error }) => reject(error));
  assert.equal(await promise, 'hello');
  const closed = new Promise((resolveClosed) => socket.addEventListener('close', resolveClosed));
  socket.close(1000);
  await closed;
});

test('with another certificate nothing is sent, and it says why', { skip }, async () => {
  await using server = await openEcho();
  const other = server.fingerprint.replaceAll(/[0-9]/g, 'A');
  const socket = createPinnedSocket(other)(server.url);
  const { promise, resolve } = Promise.withResolvers<SocketEvent>();
  let failure: unknown;
  socket.addEventListener('error', ({ error }) => (failure = error));
  socket.addEventListener('close', resolve);
  assert.equal((await promise).code, 1006);
  assert.match(String(failure), /its certificate is not the one/);
  assert.equal(server.receivedBytes, 0);
});

test('a socket that is given up before it is open leaves no connection', { skip }, async () => {
  await using server = await openEcho();
  const socket = createPinnedSocket(server.fingerprint)(server.url);
  socket.addEventListener('error', () => {});
  const closed = new Promise((resolve) => socket.addEventListener('close', resolve));
  socket.terminate?.();
  await closed;
});

test('a terminal is opened over it', { skip }, async () => {
  await using server = await openEcho();
  server.sockets.removeAllListeners('connection');
  server.sockets.on('connection', (socket, { url }) => {
    assert.equal(url, '/ws/runs/r1');
    socket.on('message', (data: Buffer) => {
      const { type, token } = JSON.parse(data.toString()) as { type: string; token?: string };
      if (type === 'auth') assert.equal(token, 'secret');
      else socket.close(4004, 'not found');
    });
  });
  const client = createClient({ baseUrl: server.baseUrl, token: 'secret' });
  const terminal = openTerminal(
    { client, runId: 'r1' },
    {
      clock: createSystemClock(),
      random: createSystemRandom(),
      socket: createPinnedSocket(server.fingerprint),
    },
  );
  const refused = terminal[Symbol.asyncIterator]().next();
  await assert.rejects(refused, { code: 'request-refused', message: 'not found' });
});

test('a terminal whose connection is refused before it is used does not try again', async () => {
  let opened = 0;
  const refusal = new CliError('gateway-port-taken', 'it is another one');
  const socket = createSocketOver(async () => {
    opened += 1;
    throw refusal;
  });
  const client = createClient({ baseUrl: 'http://127.0.0.1:1', token: 'secret' });
  const clock = createSystemClock();
  const terminal = openTerminal(
    { client, runId: 'r1' },
    { clock, random: createSystemRandom(), socket },
  );
  await assert.rejects(terminal[Symbol.asyncIterator]().next(), refusal);
  assert.equal(opened, 1);
});
