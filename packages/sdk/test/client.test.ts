/*
 * The client against a server that answers what a test tells it to.
 */
import assert from 'node:assert/strict';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { createClient } from '../src/client.ts';
import { RefusedError, SdkError } from '../src/errors.ts';

interface Answer {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
}

async function openStandIn(answer: Answer) {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers });
    response.end(answer.body === undefined ? undefined : JSON.stringify(answer.body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    requests,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const settings = {
  idle_timeout_seconds: 1800,
  notifications: { approval: true, question: true, done: true, failed: true, host_lost: true },
};

test('a call sends the token and returns the parsed answer', async () => {
  await using server = await openStandIn({ status: 200, body: settings });
  const client = createClient({ baseUrl: server.baseUrl, token: 'clf_x' });
  assert.deepEqual(await client.settings.get(), settings);
  assert.equal(server.requests[0]?.headers.authorization, 'Bearer clf_x');
  assert.equal(server.requests[0]?.url, '/api/v1/settings');
});

test('parts become path, query and body; what is undefined is left out', async () => {
  const body = { entries: [], has_more: false, next_before: null };
  await using server = await openStandIn({ status: 200, body });
  const client = createClient({ baseUrl: server.baseUrl });
  await client.audit.list({ query: { limit: 5, action: 'a b' } }, { idempotencyKey: 'k' });
  assert.equal(server.requests[0]?.url, '/api/v1/audit?limit=5&action=a+b');
  assert.equal(server.requests[0]?.headers['idempotency-key'], 'k');
  assert.equal(server.requests[0]?.headers.authorization, undefined);
});

test('a refusal keeps its code, status, trace and when to try again', async () => {
  await using server = await openStandIn({
    status: 429,
    headers: { 'retry-after': '7', 'x-trace-id': 'abc' },
    body: { error: { code: 'rate_limited', message: 'too many', detail: { a: 1 } } },
  });
  const client = createClient({ baseUrl: server.baseUrl });
  await assert.rejects(client.settings.get(), (error) => {
    assert.ok(error instanceof RefusedError);
    assert.deepEqual(error.refusal, {
      code: 'rate_limited',
      status: 429,
      traceId: 'abc',
      retryAfterMs: 7000,
    });
    assert.deepEqual(error.detail, { a: 1 });
    return true;
  });
});

test('an answer of another shape is told apart from a refusal', async () => {
  await using server = await openStandIn({ status: 200, body: { idle: 1 } });
  const client = createClient({ baseUrl: server.baseUrl });
  await assert.rejects(client.settings.get(), (error) => {
    assert.ok(error instanceof SdkError);
    assert.equal(error.code, 'answer-invalid');
    return true;
  });
});

test('nobody there is unreachable, and a cancelled call is neither', async () => {
  const gone = await openStandIn({ status: 200 });
  await gone[Symbol.asyncDispose]();
  const client = createClient({ baseUrl: gone.baseUrl });
  await assert.rejects(client.settings.get(), { code: 'gateway-unreachable' });
  const reason = new Error('enough');
  await assert.rejects(client.settings.get({}, { signal: AbortSignal.abort(reason) }), reason);
});

test('a page of a proxy that is no JSON is still a refusal', async () => {
  await using server = await openStandIn({ status: 502 });
  const client = createClient({ baseUrl: server.baseUrl });
  await assert.rejects(client.settings.get(), (error) => {
    assert.ok(error instanceof RefusedError);
    assert.deepEqual([error.refusal.code, error.refusal.status], ['unknown', 502]);
    return true;
  });
});
