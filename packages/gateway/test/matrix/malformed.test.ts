/*
 * Malformed everything: whatever is sent to whichever endpoint, the answer is a refusal of the documented shape or a good answer,
 * and never a mistake of ours.
 *
 * Nothing that gets through may run: the policy of this gateway denies every command. Half of the calls name things that are there, so what is
 * malformed reaches the work behind the look for them.
 */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { once } from 'node:events';
import { test } from 'node:test';
import { apiErrorSchema, type Endpoint, isApiErrorCode } from '@clawdfather/protocol/api';
import fc from 'fast-check';
import { openTestGateway } from '../fixtures/open-test-gateway.ts';
import { type FilledGateway, openFilled } from './open-filled.ts';
import { type Made, rows } from './rows.ts';
import { type CallParts, everyEndpoint, send } from './send.ts';

const runsPerEndpoint = Number(process.env['FUZZ_RUNS'] ?? 25);
const someId = '0123456789abcdef';
const missing: Made = {
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
  loginCodeId: someId,
  uploadId: someId,
};

/*
 * What ends, takes away or answers one of the things that were made. Of these only what is missing is named, so that the others have them; and
 * they come last, because some of them need no name.
 */
const endings = [
  'auth.revokeOtherDevices',
  'auth.revokeDevice',
  'tokens.revoke',
  'keys.rotate',
  'keys.remove',
  'connections.remove',
  'sessions.close',
  'sessions.closeAll',
  'threads.archive',
  'turns.cancel',
  'uploads.remove',
  'loginCodes.decide',
  'asks.answer',
  'runs.signal',
  'runs.cancel',
  'runs.remove',
  'approvals.decide',
  'approvalRules.revoke',
];

interface Raw {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

const oddText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom('', '..', '../../etc', '%00', '\u0000', '\ud800', "' OR 1=1 --", 'x'.repeat(300)),
);

/* JSON says a lone surrogate and a NUL by their escapes, so they arrive. */
const oddValue = fc.oneof(
  fc.jsonValue(),
  oddText,
  fc.array(oddText, { maxLength: 3 }),
  fc.constantFrom(-1, 0, 1e308, 2 ** 53, 0.5, [], {}, { type: 'text', text: '\ud800\u0000' }),
);

/* A good body; or one part of it replaced by anything, taken away, or added to. */
function mutated(good: unknown): fc.Arbitrary<unknown> {
  if (typeof good !== 'object' || good === null || good instanceof Uint8Array) return oddValue;
  const keys = Object.keys(good);
  const key = keys.length === 0 ? fc.constant('x') : fc.constantFrom(...keys);
  return fc.oneof(
    fc.constant(good),
    oddValue,
    fc.tuple(key, oddValue).map(([name, value]) => ({ ...good, [name]: value })),
    fc.tuple(oddText, oddValue).map(([name, value]) => ({ ...good, [name]: value })),
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
      'application/octet-stream',
      'text/plain',
      'multipart/form-data',
      'x',
    ),
  },
  { requiredKeys: [] },
);

function malformed(
  endpoint: Endpoint,
  { params = {}, query: good = {}, body: goodBody }: CallParts,
): fc.Arbitrary<Raw> {
  const name = fc.oneof(fc.constantFrom(...queryNames(endpoint)), oddText);
  const path = fc
    .tuple(fc.option(oddText, { freq: 1 }), fc.dictionary(name, oddText, { maxKeys: 3 }))
    .map(([odd, query]) => {
      const filled = endpoint.path.replaceAll(/:([a-z_]+)/g, (_match, one: string) =>
        encodeURIComponent((odd ?? params[one] ?? someId).toWellFormed()),
      );
      const known = Object.entries(good).map(([one, value]) => [one, String(value)]);
      const search = new URLSearchParams({ ...Object.fromEntries(known), ...query }).toString();
      return search === '' ? filled : `${filled}?${search}`;
    });
  const body = fc.oneof(
    mutated(goodBody).map((value) => JSON.stringify(value)),
    oddText,
    fc.constantFrom('{', '[[[[', '{"__proto__":{"a":1}}', '{"constructor":{"prototype":{}}}'),
    fc.constant(undefined),
  );
  return fc.record({ path, headers: oddHeaders, body });
}

function queryNames({ query }: Endpoint): [string, ...string[]] {
  return ['limit', ...Object.keys(query?.shape ?? {})];
}

async function forgetLimits(
  { gateway, owner }: FilledGateway,
  endpoint: Endpoint,
  ids: readonly string[],
): Promise<void> {
  if (endpoint.limit === undefined) return;
  const scope = `${endpoint.method} ${endpoint.path}`;
  const { accountId } = owner;
  for (const subject of ['127.0.0.1', accountId, ...ids.map((id) => `${accountId}/${id}`)]) {
    await gateway.store.system.rateLimits.forget({ scope, subject });
  }
}

test('every endpoint answers whatever it is sent with a refusal, and never fails', async () => {
  await using rig = await openFilled();
  const { url, owner, agentKey } = rig;
  const inOrder = everyEndpoint.toSorted(
    ([one], [other]) => Number(endings.includes(one)) - Number(endings.includes(other)),
  );
  for (const [name, endpoint] of inOrder) {
    // Would sign the sender out, and has nothing to be malformed.
    if (name === 'auth.signOut') continue;
    const isOfAgents = endpoint.access === 'agent';
    const made = isOfAgents ? rig.madeForAgent : rig.made;
    const callOf = (things: Made): CallParts => rows[name]?.call?.(things) ?? {};
    const calls = endings.includes(name) ? [callOf(missing)] : [callOf(missing), callOf(made)];
    const ids = calls.flatMap(({ params = {} }) => Object.values(params));
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...calls).chain((call) => malformed(endpoint, call)),
        async ({ path, headers, body }) => {
          await forgetLimits(rig, endpoint, ids);
          const mayHaveBody = endpoint.method !== 'GET' && body !== undefined;
          const response = await fetch(new URL(path, url), {
            method: endpoint.method,
            headers: {
              authorization: `Bearer ${isOfAgents ? agentKey : owner.token}`,
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
        },
      ),
      { numRuns: runsPerEndpoint },
    );
  }
});

/* An artifact is missing for whoever has no signed address of it, and the turn has changed no file. */
const unseen = ['artifacts.download', 'history.fileChanges'];

test('what is fuzzed is there: a good call of each is answered by the work behind the look for it', async () => {
  await using rig = await openFilled();
  const missed: string[] = [];
  for (const [name, endpoint] of everyEndpoint) {
    if (endings.includes(name) || unseen.includes(name) || rows[name]?.kind !== 'names') continue;
    const target = { url: rig.url, token: rig.owner.token };
    const { status, text } = await send(target, endpoint, rows[name].call?.(rig.made));
    if (status === 404) missed.push(`${name}: ${status} ${text}`);
  }
  assert.deepEqual(missed, []);
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
