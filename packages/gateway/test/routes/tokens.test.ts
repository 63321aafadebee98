/*
 * Tokens for programs over HTTP: shown once, limited to their scopes, and never the parents of other tokens.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAsk } from '../fixtures/api-client.ts';
import { openTestGateway } from '../fixtures/open-test-gateway.ts';

test('a token is shown once, listed without its secret, and revoked', async () => {
  await using rig = await openTestGateway();
  const ask = createAsk(rig);
  const made = await ask('POST', 'auth/tokens', { body: { label: 'ci', scopes: ['read', 'run'] } });
  assert.equal(made.status, 201);
  const { token, id } = made.body;
  assert.match(token, /^clf_[A-Za-z0-9_-]{43}$/);
  const me = await ask('GET', 'auth/me', { token });
  assert.deepEqual(me.body.via.scopes, ['read', 'run']);
  assert.equal(me.body.via.kind, 'token');
  const list = await ask('GET', 'auth/tokens');
  assert.deepEqual([list.body.total, list.body.items[0].label], [1, 'ci']);
  assert.ok(!list.text.includes(token));

  assert.equal((await ask('DELETE', `auth/tokens/${id}`)).status, 204);
  assert.equal((await ask('GET', 'auth/me', { token })).status, 401);
  assert.equal((await ask('DELETE', `auth/tokens/${id}`)).status, 404);
  const { body } = await ask('GET', 'audit');
  const actions = body.entries.map(({ action }: { action: string }) => action);
  assert.deepEqual(actions.slice(0, 2), ['token.revoke', 'token.create']);
  assert.ok(!JSON.stringify(body).includes(token));
});

test('a token makes no token, signs no device out and revokes no token but itself', async () => {
  await using rig = await openTestGateway();
  const ask = createAsk(rig);
  const scopes = ['read', 'run', 'approve', 'admin'];
  const { token, id } = (await ask('POST', 'auth/tokens', { body: { label: 'all', scopes } })).body;
  for (const [method, path, body] of [
    ['POST', 'auth/tokens', { label: 'more', scopes: ['admin'] }],
    ['DELETE', `auth/tokens/${id}`, undefined],
    ['DELETE', `auth/sessions/${rig.owner.deviceId}`, undefined],
    ['DELETE', 'auth/sessions', undefined],
  ] as const) {
    const answer = await ask(method, path, { token, ...(body === undefined ? {} : { body }) });
    assert.deepEqual([answer.status, answer.body.error.code], [403, 'forbidden'], path);
  }
  assert.equal((await ask('GET', 'auth/tokens', { token })).status, 200);
});

test('a scope is needed for what it is for', async () => {
  await using rig = await openTestGateway();
  const ask = createAsk(rig);
  const tokenWith = async (scope: string): Promise<string> =>
    (await ask('POST', 'auth/tokens', { body: { label: scope, scopes: [scope] } })).body.token;
  const [run, read] = [await tokenWith('run'), await tokenWith('read')];
  assert.equal((await ask('GET', 'settings', { token: run })).status, 403);
  assert.equal((await ask('GET', 'settings', { token: read })).status, 200);
  const refused = await ask('GET', 'audit', { token: read });
  assert.deepEqual(refused.body.error.detail, { needs: 'admin', has: ['read'] });
});

test('labels are unique among tokens in use, and bad wishes are refused', async () => {
  await using rig = await openTestGateway();
  const ask = createAsk(rig);
  const make = (body: unknown) => ask('POST', 'auth/tokens', { body });
  const { id } = (await make({ label: 'ci', scopes: ['read'] })).body;
  const twice = await make({ label: 'ci', scopes: ['read'] });
  assert.deepEqual([twice.status, twice.body.error.code], [409, 'label_exists']);
  assert.match(twice.body.error.message, /called "ci"/);
  assert.match(twice.body.error.hint, /revoke/);
  await ask('DELETE', `auth/tokens/${id}`);
  assert.equal((await make({ label: 'ci', scopes: ['read'] })).status, 201);
  for (const body of [
    { label: '', scopes: ['read'] },
    { label: 'a\nb', scopes: ['read'] },
    { label: 'x', scopes: [] },
    { label: 'x', scopes: ['everything'] },
    { label: 'x', scopes: ['read', 'read'] },
    { label: 'x', scopes: ['read'], token: 'mine' },
  ]) {
    assert.equal((await make(body)).status, 400, JSON.stringify(body));
  }
});

test('ten tokens an hour for a member, counted per account; the owner has the machine', async () => {
  await using rig = await openTestGateway();
  const ask = createAsk(rig);
  const make = (label: string, token = rig.other.token) =>
    ask('POST', 'auth/tokens', { token, body: { label, scopes: ['read'] } });
  for (let count = 0; count < 10; count += 1) {
    assert.equal((await make(`token ${count}`)).status, 201);
  }
  assert.equal((await make('one more')).status, 429);
  for (let count = 0; count < 11; count += 1) {
    assert.equal((await make(`owner's ${count}`, rig.owner.token)).status, 201);
  }
});
