/*
 * Two accounts on one gateway, strictly apart, over every endpoint there is.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestGateway, type TestGateway } from '../fixtures/open-test-gateway.ts';
import { asAccount, makeThings } from './make-things.ts';
import { type Made, pages, rows } from './rows.ts';
import { type CallParts, everyEndpoint, send } from './send.ts';

/* As good as any other that nobody has. */
const missingId = '0123456789abcdef';
const missing: Made = {
  runId: missingId,
  approvalId: missingId,
  ruleId: missingId,
  keyId: missingId,
  connectionId: missingId,
  sessionId: missingId,
  deviceId: missingId,
  tokenId: missingId,
  threadId: missingId,
  turnId: missingId,
  queuedTurnId: missingId,
  askId: missingId,
  noticeId: missingId,
  artifactId: missingId,
  loginCodeId: missingId,
  uploadId: missingId,
};

test('every endpoint has a row, and every row an endpoint', () => {
  const names = everyEndpoint.map(([name]) => name);
  assert.deepEqual(Object.keys(rows).toSorted(), names.toSorted());
});

test('every route of the server is an endpoint or a known page', async () => {
  await using rig = await openTestGateway();
  const known = [...everyEndpoint.map(([, { method, path }]) => `${method} ${path}`), ...pages];
  assert.deepEqual([...rig.gateway.routes].toSorted(), known.toSorted());
});

test('what one account has is missing for the other, word for word', async () => {
  await using rig = await openTestGateway();
  const made = await makeThings(rig);
  const asOther = { url: rig.url, token: rig.other.token };
  for (const [name, endpoint] of everyEndpoint) {
    const row = rows[name];
    if (row?.kind !== 'names') continue;
    const foreign = await send(asOther, endpoint, row.call?.(made));
    const nothing = await send(asOther, endpoint, row.call?.(missing));
    assert.equal(foreign.status, 404, `${name}: ${foreign.text}`);
    assert.deepEqual(foreign, nothing, name);
  }
});

test('lists show nothing of the other account', async () => {
  await using rig = await openTestGateway();
  const made = await makeThings(rig);
  for (const [name, endpoint] of everyEndpoint) {
    if (rows[name]?.kind !== 'lists') continue;
    const mine = await send({ url: rig.url, token: rig.owner.token }, endpoint);
    const theirs = await send({ url: rig.url, token: rig.other.token }, endpoint);
    assert.equal(theirs.status, 200, name);
    for (const [what, id] of Object.entries(made)) {
      assert.ok(!theirs.text.includes(id), `${name} shows the other account's ${what}`);
    }
    const isShown = Object.values(made).some((id) => mine.text.includes(id));
    assert.ok(isShown, `${name} does not even show its owner anything; the test would see nothing`);
  }
});

/* By which the owner sees all that it has: each of its things, how they stand and in which order, what it was told, and what was done. */
const looks: readonly (readonly [string, (made: Made) => CallParts])[] = [
  ...[
    'runs.get',
    'runs.output',
    'approvals.get',
    'approvalRules.get',
    'keys.list',
    'connections.get',
    'sessions.get',
    'tokens.list',
    'auth.devices',
    'settings.get',
    'loginCodes.get',
    'uploads.get',
    'threads.list',
    'threads.get',
    'threads.choices',
    'turns.get',
    'artifacts.ofTurn',
    'asks.get',
    'asks.list',
    'queue.list',
    'notices.list',
    'inbox.get',
    'push.get',
    'events.list',
    'audit.list',
  ].map((name) => [name, (made: Made) => rows[name]?.call?.(made) ?? {}] as const),
  ['turns.get', ({ queuedTurnId }) => ({ params: { id: queuedTurnId } })],
  ['threads.events', ({ threadId }) => ({ params: { id: threadId }, query: { limit: 500 } })],
];

/* What moves with the clock, and with the looks themselves. */
const moving = ['poll', 'at', 'ageMs', 'elapsedMs', 'last_seen_at', 'last_used_at'];

function still(text: string): unknown {
  return JSON.parse(text, (key, value) => (moving.includes(key) ? undefined : value));
}

/* The one that was allowed: it ends by itself, and nothing else that was made does. */
async function untilRunEnded({ url, owner }: TestGateway): Promise<void> {
  for (let after = 0; ; ) {
    const query = { after: String(after), wait_ms: '20000' };
    const { items } = await asAccount(url, owner.token)('events.list', { query });
    for (const { seq, type } of items) {
      if (type === 'run_ended') return;
      after = seq;
    }
  }
}

test('nothing that the other account did has changed anything', async () => {
  await using rig = await openTestGateway();
  const made = await makeThings(rig);
  const lookAtAll = async (): Promise<readonly (readonly [string, unknown])[]> => {
    const seen: (readonly [string, unknown])[] = [];
    for (const [name, call] of looks) {
      const endpoint = everyEndpoint.find(([known]) => known === name)?.[1];
      assert.ok(endpoint, name);
      const asOwner = { url: rig.url, token: rig.owner.token };
      const { status, text } = await send(asOwner, endpoint, call(made));
      assert.equal(status, 200, `${name}: ${text}`);
      seen.push([name, still(text)]);
    }
    return seen;
  };
  await untilRunEnded(rig);
  const before = await lookAtAll();
  // All that was made is looked at, so what happened to any of it would be seen. An artifact is never written again.
  const shown = JSON.stringify(before);
  const { artifactId: _artifact, ...things } = made;
  for (const [what, id] of Object.entries(things)) assert.ok(shown.includes(id), what);
  const asOther = { url: rig.url, token: rig.other.token };
  for (const [name, endpoint] of everyEndpoint) {
    const row = rows[name];
    // Signing out would end the trial.
    if (row === undefined || name === 'auth.signOut') continue;
    await send(asOther, endpoint, row.call?.(made));
  }
  for (const [index, [name, after]] of (await lookAtAll()).entries()) {
    assert.deepEqual(after, before[index]?.[1], name);
  }
});

test('without a token every endpoint that is not open says the same', async () => {
  await using rig = await openTestGateway();
  for (const [name, endpoint] of everyEndpoint) {
    if (endpoint.access === 'open') continue;
    const { status, text } = await send({ url: rig.url }, endpoint, rows[name]?.call?.(missing));
    assert.equal(status, 401, name);
    assert.equal(JSON.parse(text).error.code, 'unauthorized', name);
  }
});

test('a token without the scope is refused, whatever it asks', async () => {
  await using rig = await openTestGateway();
  const made = await makeThings(rig);
  const { token } = await makeReader(rig.url, rig.owner.token);
  for (const [name, endpoint] of everyEndpoint) {
    if (endpoint.access === 'open' || endpoint.access === 'read') continue;
    const { status, text } = await send(
      { url: rig.url, token },
      endpoint,
      rows[name]?.call?.(made),
    );
    assert.equal(status, 403, `${name}: ${text}`);
    assert.equal(JSON.parse(text).error.code, 'forbidden', name);
  }
});

async function makeReader(url: string, token: string): Promise<{ readonly token: string }> {
  const endpoint = everyEndpoint.find(([name]) => name === 'tokens.create')?.[1];
  assert.ok(endpoint);
  const { text } = await send({ url, token }, endpoint, {
    body: { label: 'reader', scopes: ['read'] },
  });
  return JSON.parse(text);
}
