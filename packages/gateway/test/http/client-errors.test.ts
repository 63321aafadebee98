/*
 * What Node's server refuses itself is refused like everything else, on real sockets. The clock stands still unless a test
 * moves it: no connection here ends because somebody's patience did.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { createSystemRandom, silentLog } from '@clawdfather/kit';
import { apiErrors, isApiErrorCode } from '@clawdfather/protocol/api';
import { createFakeClock } from '@clawdfather/testkit';
import { createAllowedNames } from '../../src/http/allowed-names.ts';
import { ApiError } from '../../src/http/api-error.ts';
import { createServer, type ServerDeps } from '../../src/http/create-server.ts';
import { makeTemporary } from '../fixtures/temporary.ts';

const hasOpenssl = spawnSync('openssl', ['version']).status === 0;
const skip = hasOpenssl ? false : 'no openssl here';

/* Short for whoever waits, long for whoever sends everything at once. */
const soon = { msMax: 500, lookMs: 20 } as const;
const never = { msMax: 600_000, lookMs: 20 } as const;

async function openRig(deps: Partial<ServerDeps> = {}) {
  const clock = createFakeClock();
  const port = (): number => (server.server.address() as AddressInfo).port;
  const server = createServer({
    clock,
    random: createSystemRandom(),
    log: silentLog,
    names: createAllowedNames({ publicUrl: undefined, port, isTls: deps.tls !== undefined }),
    tls: undefined,
    trustedProxies: [],
    gatewayHeader: () => undefined,
    enterTrace: (_trace, next) => next(),
    onDone: () => {},
    arrival: never,
    ...deps,
  });
  let released = Promise.withResolvers<void>();
  server.get('/quick', (_request, reply) => void reply.send({ is: 'quick' }));
  server.get('/slow', async () => {
    await released.promise;
    return { is: 'slow' };
  });
  server.post('/body', async () => ({ is: 'body' }));
  server.post('/closed', {
    onRequest: (_request, _reply, next) => next(new ApiError('unauthorized')),
    handler: async () => ({}),
  });
  await server.listen({ host: '127.0.0.1', port: 0 });
  return {
    clock,
    server: server.server,
    port,
    /* Those that are slow by now; the next ones wait for the next time. */
    release: () => {
      released.resolve();
      released = Promise.withResolvers<void>();
    },
    /* With the server's own side of the connection. */
    refused: async (): Promise<Socket> => (await once(server.server, 'clientError'))[1],
    [Symbol.asyncDispose]: () => server.close(),
  };
}

interface Answer {
  readonly status: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/* Every byte has to belong to an answer. */
function parseAnswers(bytes: string): readonly Answer[] {
  const answers: Answer[] = [];
  for (let rest = bytes; rest !== ''; ) {
    const headEnd = rest.indexOf('\r\n\r\n');
    assert.notEqual(headEnd, -1, `no answer: ${rest}`);
    const [status = '', ...lines] = rest.slice(0, headEnd).split('\r\n');
    const fields = lines.map((line) => line.split(': ', 2));
    const headers = Object.fromEntries(
      fields.map(([name = '', value = '']) => [name.toLowerCase(), value]),
    );
    const bodyEnd = headEnd + 4 + Number(headers['content-length']);
    answers.push({ status, headers, body: rest.slice(headEnd + 4, bodyEnd) });
    rest = rest.slice(bodyEnd);
  }
  return answers;
}

/* All that comes until the server closes. */
async function answersTo(port: number, bytes: string): Promise<readonly Answer[]> {
  const socket = connect(port, '127.0.0.1');
  socket.write(bytes);
  return parseAnswers(await text(socket));
}

/* Of the last answer, which has to be a refusal with everything that belongs to one. */
function refusalOf(answers: readonly Answer[], isTls = false): string {
  const answer = answers.at(-1);
  assert.ok(answer);
  const { status, headers, body } = answer;
  const { error, ...others } = JSON.parse(body);
  assert.deepEqual(others, {});
  assert.deepEqual(Object.keys(error), ['code', 'message', 'detail']);
  const code: string = error.code;
  assert.ok(isApiErrorCode(code), code);
  assert.equal(error.message, apiErrors[code].meaning);
  const { 'x-trace-id': traceId = '', date = '', ...fixed } = headers;
  assert.match(traceId, /^[0-9a-f]{32}$/);
  assert.equal(new Date(date).toUTCString(), date);
  assert.deepEqual(fixed, {
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-origin',
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    ...(isTls ? { 'strict-transport-security': 'max-age=63072000' } : {}),
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  });
  return `${status}: ${code}`;
}

const bodies = (answers: readonly Answer[]) => answers.map(({ body }) => JSON.parse(body).is);
const headers = (...lines: readonly string[]): string =>
  ['Host: localhost', ...lines, '\r\n'].join('\r\n');
const get = (path: string): string => `GET ${path} HTTP/1.1\r\n${headers()}`;
const post = (path: string, length: string): string =>
  `POST ${path} HTTP/1.1\r\n${headers('Content-Type: application/json', length)}`;
const chunked = 'Transfer-Encoding: chunked';
const tooLarge = '431 Request Header Fields Too Large: headers_too_large';
const badRequest = 'HTTP/1.1 400 Bad Request: validation_error';
const late = 'HTTP/1.1 408 Request Timeout: request_timeout';

test('headers that are too large are refused, also if most of them was never read', async () => {
  await using rig = await openRig();
  for (const characters of [20_000, 1_000_000]) {
    const bytes = `GET / HTTP/1.1\r\n${headers(`X-Long: ${'x'.repeat(characters)}`)}`;
    const answers = await answersTo(rig.port(), bytes);
    assert.deepEqual([answers.length, refusalOf(answers)], [1, `HTTP/1.1 ${tooLarge}`]);
  }
});

test('what is no HTTP is refused, and nothing of it comes back', async () => {
  await using rig = await openRig();
  for (const bytes of [
    'sesame\r\n\r\n',
    'GET / sesame\r\n\r\n',
    `GET / HTTP/1.1\r\n${headers('sesame sesame')}`,
    `GET / HTTP/1.1\r\n${headers('X-Bad: sesame\0')}`,
    post('/body', 'Content-Length: sesame'),
    `${post('/body', chunked)}sesame\r\n`,
  ]) {
    const answers = await answersTo(rig.port(), bytes);
    assert.deepEqual([answers.length, refusalOf(answers)], [1, badRequest], bytes);
    assert.doesNotMatch(JSON.stringify(answers), /sesame/);
  }
});

test('a request that stops in the middle is refused to whoever still listens', async () => {
  await using rig = await openRig();
  const socket = connect({ port: rig.port(), host: '127.0.0.1', allowHalfOpen: true });
  socket.end('GET / HT');
  assert.equal(refusalOf(parseAnswers(await text(socket))), badRequest);
});

test('what comes with a chunk can be too large as well', async () => {
  await using rig = await openRig();
  const bytes = `${post('/body', chunked)}1;${'x'.repeat(20_000)}`;
  const code = refusalOf(await answersTo(rig.port(), bytes));
  assert.match(code, /^HTTP\/1\.1 413 .*: payload_too_large$/);
});

test('a request that does not arrive in time is refused, in its headers and in its body', async () => {
  await using rig = await openRig({ arrival: soon });
  for (const bytes of ['GET / HTTP/1.1\r\nHost: l', `${post('/body', 'Content-Length: 9')}{`]) {
    const answers = await answersTo(rig.port(), bytes);
    assert.deepEqual([answers.length, refusalOf(answers)], [1, late]);
  }
});

test('whoever names no host is refused in the same shape', async () => {
  await using rig = await openRig();
  // After an answer that says it is the last, there is none for what follows.
  const bytes = 'GET /quick HTTP/1.1\r\nConnection: close\r\n\r\nsesame\r\n';
  const [answer, ...others] = await answersTo(rig.port(), bytes);
  assert.match(answer?.status ?? '', /^HTTP\/1\.1 400 /);
  assert.equal(JSON.parse(answer?.body ?? '').error.code, 'validation_error');
  assert.deepEqual(others, []);
});

test('good requests have their answers before what follows them is refused', async () => {
  await using rig = await openRig();
  const quick = await answersTo(rig.port(), `${get('/quick')}sesame\r\n\r\n`);
  assert.deepEqual([bodies(quick), refusalOf(quick)], [['quick', undefined], badRequest]);
  // An address that no route could have is answered before any hook.
  const odd = await answersTo(rig.port(), `${get('/%')}sesame\r\n\r\n`);
  assert.deepEqual([odd.length, refusalOf(odd)], [2, badRequest]);

  for (const bad of ['sesame\r\n\r\n', `${post('/body', chunked)}sesame\r\n`]) {
    const refused = rig.refused();
    const slow = answersTo(rig.port(), `${get('/slow')}${get('/quick')}${bad}`);
    const { bytesWritten } = await refused;
    assert.equal(bytesWritten, 0);
    rig.release();
    const answers = await slow;
    assert.deepEqual(bodies(answers), ['slow', 'quick', undefined]);
    assert.equal(refusalOf(answers), badRequest);
  }
});

test('a request that is late behind a slow one and arrives after all has its answer', async () => {
  await using rig = await openRig({ arrival: soon });
  const socket = connect(rig.port(), '127.0.0.1');
  const refused = rig.refused();
  socket.write(`${get('/slow')}GET /quick HTTP/1.1\r\n`);
  const answered = text(socket);
  await refused;
  const arrived = once(rig.server, 'request');
  socket.write(headers('Connection: close'));
  await arrived;
  rig.release();
  assert.deepEqual(bodies(parseAnswers(await answered)), ['slow', 'quick']);
});

test('a request that has its answer gets no second one for its body', async () => {
  await using rig = await openRig({ arrival: soon });
  for (const bytes of [
    `${post('/closed', chunked)}sesame\r\n`,
    `${post('/closed', 'Content-Length: 9')}{`,
  ]) {
    const [answer, ...others] = await answersTo(rig.port(), bytes);
    assert.equal(JSON.parse(answer?.body ?? '').error.code, 'unauthorized');
    assert.deepEqual(others, []);
  }
});

test('a peer that resets is told nothing, and costs nobody else anything', async () => {
  await using rig = await openRig();
  const connected = once(rig.server, 'connection');
  const refused = rig.refused();
  const socket = connect(rig.port(), '127.0.0.1');
  socket.write('GET / HT');
  await connected;
  socket.resetAndDestroy();
  const side = await refused;
  assert.deepEqual([side.destroyed, side.bytesWritten], [true, 0]);
  assert.equal(rig.clock.pendingTimers, 0);
  const good = await answersTo(
    rig.port(),
    `GET /quick HTTP/1.1\r\n${headers('Connection: close')}`,
  );
  assert.deepEqual(bodies(good), ['quick']);
});

test('a peer that does not close is cut in the end', async () => {
  await using rig = await openRig();
  const refused = rig.refused();
  const socket = connect({ port: rig.port(), host: '127.0.0.1', allowHalfOpen: true });
  socket.on('error', () => {});
  socket.write('sesame\r\n\r\n');
  const closed = once(await refused, 'close');
  assert.equal(refusalOf(parseAnswers(await text(socket))), badRequest);
  // Still talking: the first complaint is the only one that is answered.
  const again = rig.refused();
  socket.write('sesame\r\n\r\n');
  assert.equal((await again).destroyed, false);
  await rig.clock.advance(2_000);
  await closed;
  socket.destroy();
  assert.equal(rig.clock.pendingTimers, 0);
});

test('whatever goes wrong in refusing costs that connection alone', async () => {
  const broken = (): never => {
    throw new Error('no chance');
  };
  await using rig = await openRig({ random: { bytes: broken, id: broken } });
  assert.deepEqual(await answersTo(rig.port(), 'sesame\r\n\r\n'), []);
  assert.deepEqual(await answersTo(rig.port(), 'sesame\r\n\r\n'), []);
});

test('with TLS it is the same, and a failed handshake is told nothing', { skip }, async () => {
  await using directory = await makeTemporary();
  const [cert, key] = [join(directory.path, 'cert.pem'), join(directory.path, 'key.pem')];
  const kind = '-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 5 -subj /CN=test';
  const files = ['-keyout', key, '-out', cert];
  const made = spawnSync('openssl', ['req', '-x509', ...kind.split(' '), ...files]);
  assert.equal(made.status, 0, String(made.stderr));
  const tls = { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') };
  await using rig = await openRig({ tls, arrival: { msMax: 1_000, lookMs: 20 } });
  const long = `GET / HTTP/1.1\r\n${headers(`X-Long: ${'x'.repeat(20_000)}`)}`;
  for (const [bytes, expected, count] of [
    [long, `HTTP/1.1 ${tooLarge}`, 1],
    ['sesame\r\n\r\n', badRequest, 1],
    [`${get('/quick')}sesame\r\n\r\n`, badRequest, 2],
    ['GET / HTTP/1.1\r\n', late, 1],
  ] as const) {
    const socket = connectTls({ port: rig.port(), host: '127.0.0.1', rejectUnauthorized: false });
    socket.write(bytes);
    const answers = parseAnswers(await text(socket));
    assert.deepEqual([answers.length, refusalOf(answers, true)], [count, expected]);
  }
  const plain = connect(rig.port(), '127.0.0.1');
  plain.write(get('/quick'));
  plain.on('error', () => {});
  let heard = '';
  plain.on('data', (bytes) => (heard += String(bytes)));
  await new Promise((resolve) => plain.once('close', resolve));
  assert.doesNotMatch(heard, /HTTP/);
});
