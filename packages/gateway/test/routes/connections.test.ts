/*
 * Connections over HTTP: what a change clears, what an open session forbids, what deletion leaves.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Ask, createAsk } from '../fixtures/api-client.ts';
import { openTestGateway, type TestGateway } from '../fixtures/open-test-gateway.ts';

const audit = { action: 'test', actor: 'test' };

interface World {
  readonly rig: TestGateway;
  readonly ask: Ask;
  readonly keyId: string;
  readonly id: string;
}

/* A connection that was tested, with its pin. */
async function withConnection(work: (world: World) => Promise<void>): Promise<void> {
  await using rig = await openTestGateway();
  const ask = createAsk(rig);
  const keyId = (await ask('POST', 'keys', { body: { label: 'k' } })).body.key.id;
  const body = { label: 'web', host: 'example.org', username: 'deploy', keypair_id: keyId };
  const made = await ask('POST', 'connections', { body });
  assert.equal(made.status, 201);
  const { id } = made.body.connection;
  await rig.gateway.store.forAccount(rig.owner.accountId).connections.recordTest({
    id,
    result: 'ok',
    latencyMs: 12,
    pin: { key: 'pinned', fingerprint: 'SHA256:pin' },
    audit,
  });
  await work({ rig, ask, keyId, id });
}

async function openSession({ rig, id }: World): Promise<string> {
  const created = await rig.gateway.store.forAccount(rig.owner.accountId).sessions.create({
    connectionId: id,
    agent: 'a',
    owner: { instanceId: 'elsewhere', generation: 1 },
    openMax: 3,
    audit,
  });
  assert.ok('session' in created);
  return created.session.id;
}

test('a connection is made, listed and shown', () =>
  withConnection(async ({ ask, keyId, id }) => {
    const { connection } = (await ask('GET', `connections/${id}`)).body;
    const { created_at: _, updated_at: __, last_test: tested, ...rest } = connection;
    assert.deepEqual(rest, {
      id,
      label: 'web',
      host: 'example.org',
      port: 22,
      username: 'deploy',
      keypair_id: keyId,
      next_keypair_id: null,
      policy: 'ask',
      host_key_fingerprint: 'SHA256:pin',
    });
    assert.deepEqual([tested.result, tested.latency_ms], ['ok', 12]);
    const list = (await ask('GET', 'connections?limit=1')).body;
    assert.deepEqual([list.items[0].id, list.total, list.limit], [id, 1, 1]);
  }));

test('another host or port clears pin and test, another user the test, another label nothing', () =>
  withConnection(async ({ ask, id }) => {
    const change = async (body: object) => {
      const answer = await ask('PATCH', `connections/${id}`, { body });
      assert.equal(answer.status, 200);
      const { host_key_fingerprint: pin, last_test: tested } = answer.body.connection;
      return { pin: pin !== null, tested: tested !== null };
    };
    assert.deepEqual(await change({ label: 'renamed' }), { pin: true, tested: true });
    assert.deepEqual(await change({ host: 'EXAMPLE.org' }), { pin: true, tested: true });
    assert.deepEqual(await change({ username: 'root' }), { pin: true, tested: false });
    assert.deepEqual(await change({ port: 2222 }), { pin: false, tested: false });
  }));

test('while a session is open the connection leads where it did, and stays', () =>
  withConnection(async (world) => {
    const { ask, id } = world;
    const sessionId = await openSession(world);
    for (const refused of [
      await ask('DELETE', `connections/${id}`),
      await ask('PATCH', `connections/${id}`, { body: { host: 'other.example' } }),
    ]) {
      assert.deepEqual([refused.status, refused.body.error.code], [409, 'active_session_exists']);
    }
    const renamed = await ask('PATCH', `connections/${id}`, { body: { label: 'renamed' } });
    assert.equal(renamed.status, 200);
    await ask('DELETE', `sessions/${sessionId}`);
    assert.equal((await ask('DELETE', `connections/${id}`)).status, 204);
  }));

test('a deleted connection is gone, and its label is free', () =>
  withConnection(async ({ ask, keyId, id }) => {
    const body = { label: 'web', host: 'h', username: 'u', keypair_id: keyId };
    const taken = await ask('POST', 'connections', { body });
    assert.deepEqual([taken.status, taken.body.error.code], [409, 'label_exists']);
    assert.equal((await ask('DELETE', `connections/${id}`)).status, 204);
    assert.equal((await ask('DELETE', `connections/${id}`)).status, 404);
    assert.equal((await ask('GET', `connections/${id}`)).status, 404);
    assert.equal((await ask('PATCH', `connections/${id}`, { body: { port: 1 } })).status, 404);
    assert.equal((await ask('POST', 'connections', { body })).status, 201);
    const { entries } = (await ask('GET', 'audit')).body;
    const actions = entries.map(({ action }: { action: string }) => action);
    assert.ok(actions.includes('connection.create') && actions.includes('connection.delete'));
  }));

test('a key that is missing, revoked or of somebody else is refused in the same words', () =>
  withConnection(async ({ rig, ask, keyId }) => {
    const { token } = rig.other;
    const theirs = (await ask('POST', 'keys', { body: { label: 'k' }, token })).body.key.id;
    const gone = (await ask('POST', 'keys', { body: { label: 'g' } })).body.key.id;
    await ask('DELETE', `keys/${gone}`);
    const answers = [];
    for (const keypairId of ['0000000000000000', theirs, gone]) {
      const body = { label: 'x', host: 'h', username: 'u', keypair_id: keypairId };
      const answer = await ask('POST', 'connections', { body });
      assert.deepEqual([answer.status, answer.body.error.code], [400, 'validation_error']);
      answers.push(answer.text);
    }
    assert.equal(new Set(answers).size, 1);
    assert.notEqual(keyId, theirs);
  }));
