/*
 * Sessions over HTTP: started once, limited, closed with what runs in them.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextConnectionKeys as nextKeys } from '@clawdfather/ssh';
import { cannotMakeUsers as skip, makeUnixUser } from '@clawdfather/testkit';
import { type Answer, type Ask, createAsk } from '../fixtures/api-client.ts';
import { openRunStarter } from '../fixtures/open-run-starter.ts';
import { openTestGateway, type TestGateway } from '../fixtures/open-test-gateway.ts';

const audit = { action: 'test', actor: 'test' };
const idle = { method: 'POST', body: {} };

async function start(ask: Ask, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
  return ask(idle.method, 'sessions', { body: idle.body, headers });
}

const refusalOf = ({ status, body }: Answer): readonly unknown[] => [status, body.error.code];

async function rowsOf({ gateway, owner }: TestGateway): Promise<number> {
  return (await gateway.store.forAccount(owner.accountId).sessions.list()).total;
}

test('a session on this machine is active at once, listed, and owned by this gateway', async () => {
  await using rig = await openTestGateway();
  const ask = createAsk(rig);
  const started = await start(ask);
  assert.equal(started.status, 201);
  const { session } = started.body;
  assert.equal(session.status, 'active');
  assert.equal(session.chat_url, `/sessions/${session.id}`);
  assert.deepEqual([session.connection, session.agent, session.closed_at], [null, null, null]);
  assert.deepEqual((await ask('GET', `sessions/${session.id}`)).body.session.id, session.id);
  const { store } = rig.gateway;
  const row = await store.forAccount(rig.owner.accountId).sessions.get(session.id);
  const [instance] = await store.system.instances.list();
  assert.deepEqual(
    [row?.ownerInstanceId, row?.ownerGeneration, row?.epoch],
    [instance?.id, instance?.generation, 1],
  );
  for (const [query, total] of [
    ['', 1],
    ['?status=active', 1],
    ['?status=closed', 0],
  ]) {
    assert.equal((await ask('GET', `sessions${query}`)).body.total, total);
  }
});

test('a resend with the same key finds the same session, another request under it is refused', async () => {
  await using rig = await openTestGateway();
  const ask = createAsk(rig);
  const headers = { 'idempotency-key': 'once' };
  const [one, other] = await Promise.all([start(ask, headers), start(ask, headers)]);
  assert.deepEqual([one.status, other.status], [201, 201]);
  assert.equal(one.body.session.id, other.body.session.id);
  assert.equal(await rowsOf(rig), 1);
  const reused = await ask('POST', 'sessions', { body: { agent: 'claude' }, headers });
  assert.deepEqual(refusalOf(reused), [409, 'key_reused']);
  const bad = await start(ask, { 'idempotency-key': 'a b' });
  assert.deepEqual(refusalOf(bad), [400, 'validation_error']);
  // The key finds the session as it is now.
  await ask('DELETE', `sessions/${one.body.session.id}`);
  assert.equal((await start(ask, headers)).body.session.status, 'closed');
});

test('a refusal is not kept under its key: the same request may succeed later', async () => {
  await using rig = await openTestGateway();
  const ask = createAsk(rig);
  const open = [];
  for (let count = 0; count < 64; count += 1) open.push(await start(ask));
  const headers = { 'idempotency-key': 'later' };
  assert.deepEqual(refusalOf(await start(ask, headers)), [409, 'session_limit_reached']);
  await ask('DELETE', `sessions/${open[0]?.body.session.id}`);
  assert.equal((await start(ask, headers)).status, 201);
});

test('ten starts an hour are enough for a member and for a token; the owner has the machine', async () => {
  await using rig = await openTestGateway();
  const ask = createAsk(rig);
  const made = await ask('POST', 'auth/tokens', { body: { label: 't', scopes: ['read', 'run'] } });
  const statuses: number[] = [];
  for (let count = 0; count < 11; count += 1) {
    const { status } = await ask('POST', 'sessions', { body: {}, token: made.body.token });
    statuses.push(status);
  }
  assert.deepEqual(
    statuses,
    [...Array.from({ length: 10 }, () => 201), 429],
    JSON.stringify(made.body),
  );
  assert.equal((await start(ask)).status, 201);
  const member = [];
  for (let count = 0; count < 11; count += 1) {
    member.push((await ask('POST', 'sessions', { body: {}, token: rig.other.token })).status);
  }
  assert.deepEqual(member, [...Array.from({ length: 10 }, () => 403), 429]);
});

test('what this version cannot start is refused after the ordinary checks, and leaves no row', async () => {
  await using rig = await openTestGateway();
  const ask = createAsk(rig);
  const key = (await ask('POST', 'keys', { body: { label: 'k' } })).body.key.id;
  const body = { label: 'c', host: 'h', username: 'u', keypair_id: key };
  const { id } = (await ask('POST', 'connections', { body })).body.connection;
  const on = (connection_id: string): Promise<Answer> =>
    ask('POST', 'sessions', { body: { connection_id } });
  assert.deepEqual(refusalOf(await on('0000000000000000')), [404, 'not_found']);
  assert.deepEqual(refusalOf(await on(id)), [409, 'connection_not_tested']);
  const mine = rig.gateway.store.forAccount(rig.owner.accountId);
  const pin = { key: 'k', fingerprint: 'f' };
  await mine.connections.recordTest({ id, result: 'ok', pin, audit });
  await mine.keypairs.revoke({ id: key, isForced: true, nextKeys, audit });
  assert.deepEqual(refusalOf(await on(id)), [409, 'keypair_revoked']);
  const agent = await ask('POST', 'sessions', { body: { agent: 'claude' } });
  assert.deepEqual(refusalOf(agent), [422, 'unsupported']);
  assert.equal(await rowsOf(rig), 0);
  const { total } = (await ask('GET', 'sessions?status=pending')).body;
  assert.equal(total, 0);
});

test('closing ends the session and what runs in it, once; others go on', async () => {
  await using rig = await openTestGateway();
  const ask = createAsk(rig);
  const [one, other] = [await start(ask), await start(ask)];
  await using starter = await openRunStarter(rig.config.stateDir);
  const { accountId } = rig.owner;
  const ended = await starter.startSleep({ accountId, id: one.body.session.id });
  const spared = await starter.startSleep({ accountId, id: other.body.session.id });
  const closed = await ask('DELETE', `sessions/${one.body.session.id}`);
  assert.equal(closed.status, 200);
  const { status, close_reason: reason } = closed.body.session;
  assert.deepEqual([status, reason], ['closed', 'user']);
  const exit = await ended.wait();
  assert.deepEqual([exit.reason, exit.actor], ['manual-cancel', `device:${rig.owner.deviceId}`]);
  assert.equal(spared.snapshot().state, 'running');
  const again = await ask('DELETE', `sessions/${one.body.session.id}`);
  assert.deepEqual(again.body, closed.body);
  const { entries } = (await ask('GET', 'audit?action=session.close')).body;
  assert.equal(entries.length, 1);
});

test('a session of somebody else answers like a missing one', async () => {
  await using rig = await openTestGateway();
  const ask = createAsk(rig);
  const { id } = (await start(ask)).body.session;
  const { token } = rig.other;
  for (const method of ['GET', 'DELETE']) {
    const theirs = await ask(method, `sessions/${id}`, { token });
    const missing = await ask(method, 'sessions/0000000000000000', { token });
    assert.equal(theirs.status, 404);
    assert.equal(theirs.text, missing.text);
  }
  assert.equal((await ask('GET', `sessions/${id}`)).body.session.status, 'active');
});

test('an operator ends all sessions of the gateway, whoever has them; nobody else may', {
  skip,
}, async () => {
  await using user = await makeUnixUser();
  await using rig = await openTestGateway({ otherRunsAs: user });
  const ask = createAsk(rig);
  const { token } = rig.other;
  const mine = (await start(ask)).body.session.id;
  const theirs = (await ask('POST', 'sessions', { body: {}, token })).body.session.id;
  const refused = await ask('POST', 'system/close-sessions', { token });
  assert.deepEqual(refusalOf(refused), [403, 'forbidden']);
  assert.deepEqual((await ask('POST', 'system/close-sessions')).body, { closed: 2 });
  for (const [id, who] of [
    [mine, rig.owner.token],
    [theirs, token],
  ]) {
    const { session } = (await ask('GET', `sessions/${id}`, { token: who })).body;
    assert.deepEqual([session.status, session.close_reason], ['closed', 'server_closed']);
  }
});

test('a command can be started in an open session of the account, and ends with it', {
  skip,
}, async () => {
  await using user = await makeUnixUser();
  await using rig = await openTestGateway({ otherRunsAs: user });
  const ask = createAsk(rig);
  const { id } = (await start(ask)).body.session;
  const body = { argv: ['sleep', '600'], sessionId: id };
  const started = await ask('POST', 'runs', { body });
  assert.equal(started.status, 201);
  const { runId } = started.body;
  assert.deepEqual(refusalOf(await ask('POST', 'runs', { body, token: rig.other.token })), [
    404,
    'not_found',
  ]);
  await ask('DELETE', `sessions/${id}`);
  const { exit } = (await ask('GET', `runs/${runId}/wait`)).body;
  assert.deepEqual([exit.reason, exit.actor], ['manual-cancel', `device:${rig.owner.deviceId}`]);
  assert.deepEqual(refusalOf(await ask('POST', 'runs', { body })), [410, 'expired']);
});
