/*
 * Malformed everything: whatever is sent to whichever endpoint, the answer is a refusal of the documented shape or a good answer,
 * and never a mistake of ours.
 *
 * Nothing that gets through may run: the policy of this gateway denies every command.
 */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { once } from 'node:events';
import { test } from 'node:test';
import { apiErrorSchema, type Endpoint, isApiErrorCode } from '@clawdfather/protocol/api';
import fc from 'fast-check';
import { openTestGateway, type TestGateway } from '../fixtures/open-test-gateway.ts';
import { agentKeyFor } from '../fixtures/agent-key-for.ts';
import { type Made, rows } from './rows.ts';
import { everyEndpoint } from './send.ts';

const runsPerEndpoint = 25;
const someId = '0123456789abcdef';
const made: Made = {
  runId: someId,
  approvalId: someId,
  ruleId: someId,
  keyId: someId,
  connectionId: someId,
  sessionId: someId,
  deviceId: someId,
  tokenId: someId,
  threadId: someId,
  turnId: someId,
  queuedTurnId: someId,
  askId: someId,
  noticeId: someId,
  artifactId: someId,
};

interface Raw {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

const oddText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom('', '..', '../../etc', '%00', '\u0000', '\ud800', "' OR 1=1 --", 'x'.repeat(300)),
);

/* One part of a good body replaced by anything, taken away, or added to. */
function mutated(good: unknown): fc.Arbitrary<unknown> {
  if (typeof good !== 'object' || good === null) return fc.jsonValue();
  const keys = Object.keys(good);
  const key = keys.length === 0 ? fc.constant('x') : fc.constantFrom(...keys);
  return fc.oneof(
    fc.jsonValue(),
    fc.tuple(key, fc.jsonValue()).map(([name, value]) => ({ ...good, [name]: value })),
    fc.tuple(oddText, fc.jsonValue()).map(([name, value]) => ({ ...good, [name]: value })),
    key.map((name) => Object.fromEntries(Object.entries(good).filter(([other]) => other !== name))),
  );
}

const oddHeaders = fc.record(
  {
    traceparent: fc.constantFrom('x', '00-0-0-0', `00-${'0'.repeat(32)}-${'0'.repeat(16)}-01`),
    'idempotency-key': fc.constantFrom('k', 'x'.repeat(500), '  '),
    'last-event-id': fc.constantFrom('0', 'x', '999999999.zz', '-1'),
    accept: fc.constantFrom('*/*', 'text/event-stream', 'x'),
    'content-type': fc.constantFrom(
      'application/json',
      'application/json; charset=utf-16',
      'text/plain',
      'multipart/form-data',
      'x',
    ),
  },
  { requiredKeys: [] },
);

function malformed(name: string, endpoint: Endpoint): fc.Arbitrary<Raw> {
  const call = rows[name]?.call?.(made) ?? {};
  const path = fc
    .tuple(
      fc.option(oddText),
      fc.dictionary(fc.oneof(fc.constantFrom(...queryNames(endpoint)), oddText), oddText, {
        maxKeys: 3,
      }),
    )
    .map(([id, query]) => {
      const filled = endpoint.path.replaceAll(/:[a-z_]+/g, () =>
        encodeURIComponent((id ?? someId).toWellFormed()),
      );
      const search = new URLSearchParams(query).toString();
      return search === '' ? filled : `${filled}?${search}`;
    });
  const body = fc.oneof(
    mutated(call.body).map((value) => JSON.stringify(value)),
    oddText,
    fc.constantFrom('{', '[[[[', '{"__proto__":{"a":1}}', '{"constructor":{"prototype":{}}}'),
    fc.constant(undefined),
  );
  return fc.record({ path, headers: oddHeaders, body });
}

function queryNames({ query }: Endpoint): [string, ...string[]] {
  return ['limit', ...Object.keys(query?.shape ?? {})];
}

async function forgetLimits({ gateway, owner }: TestGateway, endpoint: Endpoint): Promise<void> {
  if (endpoint.limit === undefined) return;
  const scope = `${endpoint.method} ${endpoint.path}`;
  for (const subject of ['127.0.0.1', owner.accountId, `${owner.accountId}/${someId}`]) {
    await gateway.store.system.rateLimits.forget({ scope, subject });
  }
}

test('every endpoint answers whatever it is sent with a refusal, and never fails', async () => {
  await using rig = await openTestGateway({
    runs: {
      personPolicy: { security: 'deny', ask: 'off' },
      agentPolicy: { security: 'deny', ask: 'off' },
    },
  });
  const agentKey = await agentKeyFor(rig, rig.owner);
  for (const [name, endpoint] of everyEndpoint) {
    // Would sign the sender out, and has nothing to be malformed.
    if (name === 'auth.signOut') continue;
    await fc.assert(
      fc.asyncProperty(malformed(name, endpoint), async ({ path, headers, body }) => {
        await forgetLimits(rig, endpoint);
        const mayHaveBody = endpoint.method !== 'GET' && body !== undefined;
        const response = await fetch(new URL(path, rig.url), {
          method: endpoint.method,
          headers: {
            authorization: `Bearer ${endpoint.access === 'agent' ? agentKey.key : rig.owner.token}`,
            ...(mayHaveBody ? { 'content-type': 'application/json' } : {}),
            ...headers,
          },
          ...(mayHaveBody ? { body: body.toWellFormed() } : {}),
          redirect: 'manual',
        });
        if (isStream(response)) {
          // It goes on for ever, which is what was asked for.
          await response.body?.cancel();
          return;
        }
        const text = await response.text();
        assert.ok(response.status < 500, `${name}: ${response.status} ${text}`);
        if (response.status < 400) return;
        assert.ok(isApiErrorCode(apiErrorSchema.parse(JSON.parse(text)).error.code), text);
      }),
      { numRuns: runsPerEndpoint },
    );
  }
});

function isStream({ headers }: Response): boolean {
  return headers.get('content-type')?.startsWith('text/event-stream') === true;
}

test('what is no HTTP at all is refused, and the gateway goes on', async () => {
  await using rig = await openTestGateway();
  const { hostname, port } = new URL(rig.url);
  const raws = [
    'x\r\n\r\n',
    'GET / HTTP/1.1\r\n\r\n',
    'GET /api/v1/settings HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil.example\r\n\r\n',
    `GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ${'y'.repeat(20_000)}\r\n\r\n`,
    'POST /api/v1/runs HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    'GET /api/v1/runs/%ff%fe HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n',
    'GET //evil.example/ HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n',
    'OPTIONS * HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n',
    '\u0000\u0001\u0002',
  ];
  for (const raw of raws) {
    const socket = connect(Number(port), hostname);
    let answer = '';
    socket.setEncoding('utf8').on('data', (text: string) => {
      answer += text;
    });
    // A reset is an answer too.
    socket.on('error', () => {});
    socket.end(raw);
    await once(socket, 'close');
    assert.doesNotMatch(answer, /^HTTP\/1\.1 [25]/, JSON.stringify(raw));
  }
  assert.equal((await rig.request('/api/v1/settings')).status, 200);
});
