/*
 * Spans as a collector sees them: the documented names, attributes and parents, one trace with the client's, and never at the
 * expense of a request.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { type IncomingMessage, request as httpRequest } from 'node:http';
import { connect, createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createSystemClock, createSystemRandom, silentLog } from '@clawdfather/kit';
import { openTracing } from '../../src/observe/tracing.ts';
import { openCollector, type SeenSpan } from '../fixtures/open-collector.ts';
import { createAsk } from '../fixtures/api-client.ts';
import { openTestGateway, type TestGateway } from '../fixtures/open-test-gateway.ts';
import { type Line, recordingLog } from '../fixtures/recording-log.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const parentSpanId = '00f067aa0ba902b7';
const deps = {
  clock: createSystemClock(),
  random: createSystemRandom(),
  log: silentLog,
  version: '1',
};

function only(spans: readonly SeenSpan[], name: string): SeenSpan {
  const found = spans.filter((span) => span.name === name);
  assert.equal(found.length, 1, `${found.length} × ${name}`);
  return found[0] as SeenSpan;
}

test('a request, its token and its statements are one trace with the client', async () => {
  await using collector = await openCollector();
  {
    await using rig = await openTestGateway({ config: { otlpEndpoint: collector.url } });
    const answer = await rig.request('/api/v1/settings', {
      headers: { traceparent: `00-${traceId}-${parentSpanId}-01` },
    });
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('x-trace-id'), traceId);
  }
  const spans = collector.spans.filter((span) => span.traceId === traceId);
  const request = only(spans, 'api.request');
  assert.equal(request.parentSpanId, parentSpanId);
  assert.deepEqual(request.attributes, {
    'http.method': 'GET',
    'http.route': '/api/v1/settings',
    'http.status_code': 200,
  });
  const token = only(spans, 'auth.validate_token');
  assert.equal(token.parentSpanId, request.spanId);
  assert.match(String(token.attributes['account_id']), /^[0-9a-z]{16}$/);
  const queries = spans.filter(({ name }) => name === 'db.query');
  const settings = queries.find(({ attributes }) => attributes['table'] === 'settings');
  assert.equal(settings?.parentSpanId, request.spanId);
  assert.equal(settings?.attributes['operation'], 'select');
  assert.equal(typeof settings?.attributes['duration_ms'], 'number');
  const tokens = queries.filter((query) => query.parentSpanId === token.spanId);
  assert.ok(tokens.length > 0, 'the token was looked for inside its own span');
  assert.equal(collector.resource['service.name'], 'clawdfather');
});

/* The body leaves only when the server has asked for it, so it never comes along with the headers. */
async function patchLate(rig: TestGateway, path: string, body: unknown): Promise<IncomingMessage> {
  const request = httpRequest(new URL(path, rig.url), {
    method: 'PATCH',
    headers: {
      authorization: `Bearer ${rig.owner.token}`,
      'content-type': 'application/json',
      expect: '100-continue',
    },
  });
  request.flushHeaders();
  await once(request, 'continue');
  request.end(JSON.stringify(body));
  const [answer] = (await once(request, 'response')) as [IncomingMessage];
  answer.resume();
  await once(answer, 'end');
  return answer;
}

test('a request whose body comes later keeps its trace; one without a traceparent begins the trace it answers with', async () => {
  await using collector = await openCollector();
  let ownTraceId: string | string[] | undefined;
  {
    await using rig = await openTestGateway({ config: { otlpEndpoint: collector.url } });
    const answer = await patchLate(rig, '/api/v1/settings', { idle_timeout_seconds: 600 });
    assert.equal(answer.statusCode, 200);
    ownTraceId = answer.headers['x-trace-id'];
    assert.equal((await rig.request('/nothing')).status, 404);
  }
  const spans = collector.spans.filter((span) => span.traceId === ownTraceId);
  const request = only(spans, 'api.request');
  assert.equal(request.parentSpanId, undefined);
  const changes = spans.filter(
    ({ name, attributes }) => name === 'db.query' && attributes['operation'] === 'insert',
  );
  assert.ok(changes.length > 0);
  for (const change of changes) assert.equal(change.parentSpanId, request.spanId);
  const missing = collector.spans.find(({ attributes }) => attributes['http.status_code'] === 404);
  assert.equal(missing?.attributes['http.route'], 'unknown');
});

test('a client that does not wait for its answer leaves a span that says so', async () => {
  await using collector = await openCollector();
  {
    await using rig = await openTestGateway({ config: { otlpEndpoint: collector.url } });
    const ask = createAsk(rig);
    const started = await ask('POST', 'runs', { body: { command: 'sleep 60', background: true } });
    assert.equal(started.status, 201, started.text);
    const { runId } = started.body;
    const { hostname, port } = new URL(rig.url);
    const socket = connect(Number(port), hostname);
    // The end comes after the request on the same connection, so the server has seen both.
    const headers = [`Host: ${hostname}`, `Authorization: Bearer ${rig.owner.token}`];
    socket.end([`GET /api/v1/runs/${runId}/wait HTTP/1.1`, ...headers, '', ''].join('\r\n'));
    socket.resume();
    await once(socket, 'close');
    await ask('POST', `runs/${runId}/cancel`, { body: {} });
  }
  const [span] = collector.spans.filter(
    ({ attributes }) => attributes['http.route'] === '/api/v1/runs/:id/wait',
  );
  assert.equal(span?.attributes['http.status_code'], 499);
});

test('a client that is not sampled is not sampled here', async () => {
  await using collector = await openCollector();
  {
    await using rig = await openTestGateway({ config: { otlpEndpoint: collector.url } });
    await rig.request('/api/v1/settings', {
      headers: { traceparent: `00-${traceId}-${parentSpanId}-00` },
    });
  }
  assert.deepEqual(
    collector.spans.filter((span) => span.traceId === traceId),
    [],
  );
});

test('the spans of sessions and agents have the documented attributes and parents', async () => {
  await using collector = await openCollector();
  {
    await using tracing = await openTracing(collector.url, deps);
    const root = { traceId, parentSpanId, isSampled: true };
    const attributes = { session_lease_id: 's', message_length: 5 };
    await tracing.inSpan({ name: 'agent.process_message', attributes, root }, async () => {
      await tracing.inSpan({ name: 'ssh.exec', attributes: { command_hash: 'h' } }, async (span) =>
        span.set({ exit_code: 3 }),
      );
    });
    const failed = tracing.inSpan(
      { name: 'ssh.connect', attributes: { host: 'h', port: 22 } },
      () => Promise.reject(new Error('secret text')),
    );
    await assert.rejects(failed, /secret text/);
    await tracing.inSpan({ name: 'agent.spawn' }, async (span) =>
      span.set({ agent_session_id: 'a' }),
    );
  }
  const { spans } = collector;
  const message = only(spans, 'agent.process_message');
  assert.deepEqual(
    [message.traceId, message.parentSpanId, message.attributes],
    [traceId, parentSpanId, { session_lease_id: 's', message_length: 5 }],
  );
  const exec = only(spans, 'ssh.exec');
  assert.equal(exec.parentSpanId, message.spanId);
  const { duration_ms: durationMs, ...rest } = exec.attributes;
  assert.deepEqual([rest, typeof durationMs], [{ command_hash: 'h', exit_code: 3 }, 'number']);
  const connect = only(spans, 'ssh.connect');
  assert.deepEqual([connect.isError, connect.attributes['port']], [true, 22]);
  assert.notEqual(connect.traceId, traceId);
  assert.deepEqual(only(spans, 'agent.spawn').attributes, { agent_session_id: 'a' });
  assert.doesNotMatch(JSON.stringify(spans), /secret text/);
});

/* Takes connections and says nothing. */
async function openSilence(): Promise<{ url: string } & Disposable> {
  const server = createServer((socket) => void socket.on('error', () => {}));
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', resolve);
  await promise;
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, [Symbol.dispose]: () => void server.close() };
}

test('a collector that says nothing keeps neither a request nor the end of the gateway', async () => {
  using silence = await openSilence();
  const lines: Line[] = [];
  const rig = await openTestGateway({
    config: { otlpEndpoint: silence.url },
    deps: { log: recordingLog(lines) },
  });
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => rig.request('/api/v1/settings')),
  );
  assert.ok(answers.every(({ status }) => status === 200));
  await rig[Symbol.asyncDispose]();
});

test('a collector that is not there is complained about once, and fails nothing', async () => {
  const lines: Line[] = [];
  const tracing = await openTracing('http://127.0.0.1:1/', { ...deps, log: recordingLog(lines) });
  for (let i = 0; i < 3; i += 1) await tracing.inSpan({ name: 'agent.spawn' }, async () => {});
  await tracing[Symbol.asyncDispose]();
  assert.deepEqual(
    lines.map(([level, name]) => [level, name]),
    [['warn', 'tracing.send-failed']],
  );
});

test('without an endpoint the library is not even loaded', async () => {
  const fixture = fileURLToPath(new URL('../fixtures/loaded-modules.ts', import.meta.url));
  const flags = ['--conditions=@clawdfather/source', fixture];
  const { stdout } = await promisify(execFile)(process.execPath, flags);
  const loaded = JSON.parse(stdout) as readonly string[];
  assert.ok(loaded.some((name) => name.includes('/fastify/')));
  assert.deepEqual(
    loaded.filter((name) => name.includes('@opentelemetry')),
    [],
  );
});
