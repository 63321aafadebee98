/*
 * What clients do that no library does: requests that never end, clients that leave in the middle, headers that say two things.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import { test } from 'node:test';
import { createSystemClock, createSystemRandom, silentLog } from '@clawdfather/kit';
import { createAllowedNames } from '../../src/http/allowed-names.ts';
import { ApiError } from '../../src/http/api-error.ts';
import { createServer } from '../../src/http/create-server.ts';
import { openTestGateway, type TestGateway } from '../fixtures/open-test-gateway.ts';
import { sendBytes } from '../fixtures/raw-request.ts';
import { type Line, recordingLog } from '../fixtures/recording-log.ts';

const codeOf = (answer: string): string | undefined => /"code":"(\w+)"/.exec(answer)?.[1];

/* Everything that comes until the other side closes, or answers if it has been asked to close then. */
const ask = ({ url, owner }: TestGateway, target: string, headers: readonly string[]) =>
  sendBytes(
    url,
    [
      `GET ${target} HTTP/1.1`,
      'Connection: close',
      ...headers.map((header) => header.replace('TOKEN', owner.token)),
      '\r\n',
    ].join('\r\n'),
  );

test('a body that is nested too deeply is refused, and not a mistake of ours', async () => {
  await using rig = await openTestGateway();
  const deep = (levels: number): string => `${'['.repeat(levels)}1${']'.repeat(levels)}`;
  for (const levels of [100, 100_000]) {
    const body = `{"blocks":[{"type":"text","text":"[","more":${deep(levels)}}]}`;
    const response = await rig.request('/api/v1/threads/0000000000000000/turns', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    assert.equal(response.status, 400);
    assert.equal(codeOf(await response.text()), 'validation_error');
  }
});

test('a body that never ends has its answer, and costs its connection', async () => {
  const clock = createSystemClock();
  const port = (): number => (server.server.address() as AddressInfo).port;
  const server = createServer({
    clock,
    random: createSystemRandom(),
    log: silentLog,
    names: createAllowedNames({ publicUrl: undefined, port, isTls: false }),
    tls: undefined,
    trustedProxies: [],
    gatewayHeader: () => undefined,
    enterTrace: (_trace, next) => next(),
    onDone: () => {},
    arrival: { msMax: 1_000, lookMs: 100 },
  });
  server.post('/', {
    onRequest: async () => {
      throw new ApiError('unauthorized');
    },
    handler: async () => ({}),
  });
  await server.listen({ host: '127.0.0.1', port: 0 });
  try {
    const socket = connect(port(), '127.0.0.1');
    socket.on('error', () => {});
    const answered = once(socket, 'data');
    socket.write('POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n');
    socket.write('Content-Length: 1000000\r\n\r\n{');
    // By a reset, if a byte was on its way.
    const closed = new Promise((resolve) => socket.once('close', resolve));
    const [answer] = await answered;
    assert.match(String(answer), /^HTTP\/1\.1 401 /);
    // Not silent: a byte now and then, as a slow attacker sends them.
    const drip = (): void => {
      if (socket.destroyed) return;
      socket.write(' ');
      clock.timer(10, drip);
    };
    drip();
    await closed;
  } finally {
    await server.close();
  }
});

test('a client that is gone before it is counted is no mistake of ours', async () => {
  const lines: Line[] = [];
  await using rig = await openTestGateway({ deps: { log: recordingLog(lines) } });
  const head = ['Host: localhost', 'Content-Type: application/json', 'Transfer-Encoding: chunked'];
  // What is no chunk ends the connection while the request before it is looked at.
  for (const target of ['/api/v1/auth/login-link', '/api/v1/runs', '/mcp']) {
    const credentials = 'Authorization: Bearer not-a-token';
    await sendBytes(
      rig.url,
      [`POST ${target} HTTP/1.1`, ...head, credentials, '', 'zz', ''].join('\r\n'),
    );
  }
  assert.equal((await rig.request('/api/v1/auth/me')).status, 200);
  assert.deepEqual(
    lines.filter(([level]) => level === 'error'),
    [],
  );
});

test('of two names, and of two tokens, neither is believed', async () => {
  await using rig = await openTestGateway();
  const token = 'Authorization: Bearer TOKEN';
  const good = await ask(rig, '/api/v1/auth/me', ['Host: localhost', token]);
  assert.match(good, /^HTTP\/1\.1 200 /);
  for (const hosts of [
    ['Host: localhost', 'Host: evil.example'],
    ['Host: evil.example', 'Host: localhost'],
  ]) {
    assert.equal(codeOf(await ask(rig, '/api/v1/auth/me', [...hosts, token])), 'host_refused');
  }
  for (const tokens of [
    [token, 'Authorization: Bearer x'],
    ['Authorization: Bearer x', token],
  ]) {
    const answer = await ask(rig, '/api/v1/auth/me', ['Host: localhost', ...tokens]);
    assert.equal(codeOf(answer), 'unauthorized');
  }
});

test('a whole address names the host that counts', async () => {
  await using rig = await openTestGateway();
  const headers = ['Host: localhost', 'Authorization: Bearer TOKEN'];
  const own = await ask(rig, `${rig.url}/api/v1/auth/me`, headers);
  assert.match(own, /^HTTP\/1\.1 200 /);
  for (const target of ['http://evil.example/api/v1/auth/me', 'http://localhost.evil.example/']) {
    assert.equal(codeOf(await ask(rig, target, headers)), 'host_refused', target);
  }
});
