/*
 * A rotation on both databases: every connection keeps its key until the new one is proven there, and no key is kept longer.
 */
import assert from 'node:assert/strict';
import { nextConnectionKeys as nextKeys } from '@clawdfather/ssh';
import { onBoth } from '../backends.ts';
import { audit, createWorld, owner, type World } from '../world.ts';

const key = (id: string) => ({ id, publicKey: 'p', privateEnc: `s-${id}`, fingerprint: 'f' });
const pin = { key: 'k', fingerprint: 'f' };

async function secondConnection({ account, keypairId }: World): Promise<string> {
  const fields = { label: 'two', host: 'h', port: 22, username: 'u', keypairId };
  const made = await account.connections.create({ fields, audit });
  assert.ok(made.outcome === 'created');
  const { id } = made.connection;
  await account.connections.recordTest({ id, result: 'ok', pin, audit });
  return id;
}

async function rotate({ account }: World, id: string, to: string): Promise<readonly string[]> {
  const rotated = await account.keypairs.rotate({ id, key: key(to), nextKeys, audit });
  assert.ok(rotated.outcome === 'rotated');
  return rotated.connectionIds;
}

async function prove({ account }: World, id: string, keypairId: string): Promise<void> {
  const proven = { keypairId, nextKeys };
  const recorded = await account.connections.recordTest({ id, result: 'ok', proven, audit });
  assert.equal(recorded, 'recorded');
}

async function keysOf({ account }: World, id: string) {
  const connection = await account.connections.get(id);
  return [connection?.keypairId, connection?.nextKeypairId, connection?.testResult];
}

async function statuses({ account }: World, ...ids: string[]) {
  return Promise.all(ids.map(async (id) => (await account.keypairs.get(id))?.status));
}

onBoth('a connection keeps its key and its test until the new one is proven', async ({ open }) => {
  const world = await createWorld(await open());
  const { account, keypairId: old, connectionId: one } = world;
  const two = await secondConnection(world);
  assert.deepEqual([...(await rotate(world, old, 'new'))].toSorted(), [one, two].toSorted());
  assert.deepEqual(await keysOf(world, one), [old, 'new', 'ok']);
  assert.deepEqual(await statuses(world, old, 'new'), ['rotated', 'active']);
  assert.deepEqual(
    (await account.keypairs.list()).map(({ id }) => id).toSorted(),
    [old, 'new'].toSorted(),
    'both are in use',
  );
  assert.notEqual(await account.keypairs.sealedOf(old), undefined);
  const start = { connectionId: two, agent: 'a', owner, openMax: 9, audit };
  assert.equal((await account.sessions.create(start)).outcome, 'created');

  await prove(world, one, old);
  assert.deepEqual(await keysOf(world, one), [old, 'new', 'ok'], 'it came in with the old one');
  await prove(world, one, 'new');
  assert.deepEqual(await keysOf(world, one), ['new', undefined, 'ok']);
  assert.deepEqual(await statuses(world, old), ['rotated'], 'the other one still needs it');
  await prove(world, two, 'new');
  assert.deepEqual(await statuses(world, old), ['revoked']);
  assert.equal(await account.keypairs.sealedOf(old), undefined);
});

onBoth('a failed test proves nothing and changes no key', async ({ open }) => {
  const world = await createWorld(await open());
  const { account, keypairId: old, connectionId: id } = world;
  await rotate(world, old, 'new');
  await account.connections.recordTest({ id, result: 'failed', audit });
  assert.deepEqual(await keysOf(world, id), [old, 'new', 'failed']);
});

onBoth('a test of what was changed meanwhile is not recorded', async ({ open }) => {
  const world = await createWorld(await open());
  const { account, connectionId: id } = world;
  const seen = { host: 'box.test', port: 22, username: 'deploy' };
  const test = { id, result: 'failed', pin, audit };
  assert.equal(await account.connections.recordTest({ ...test, seen }), 'recorded');
  await account.connections.update({ id, fields: { port: 2222 }, nextKeys, audit });
  assert.equal(await account.connections.recordTest({ ...test, seen }), 'not_found');
  assert.equal((await account.connections.get(id))?.pinKey, undefined);
});

onBoth('a second rotation before the proof drops the key between', async ({ open }) => {
  const world = await createWorld(await open());
  const { keypairId: old, connectionId: id } = world;
  await rotate(world, old, 'b');
  await rotate(world, 'b', 'c');
  assert.deepEqual(await keysOf(world, id), [old, 'c', 'ok']);
  assert.deepEqual(await statuses(world, old, 'b', 'c'), ['rotated', 'revoked', 'active']);
  const again = await world.account.keypairs.rotate({ id: old, key: key('d'), nextKeys, audit });
  assert.deepEqual(again, { outcome: 'not_found' }, 'it is being replaced already');
});

onBoth('the new key revoked: the rotation is taken back', async ({ open }) => {
  const world = await createWorld(await open());
  const { account, keypairId: old, connectionId: id } = world;
  await rotate(world, old, 'b');
  await rotate(world, 'b', 'c');
  const revoke = { id: 'c', isForced: false, nextKeys, audit };
  assert.equal(await account.keypairs.revoke(revoke), 'revoked', 'no session uses it');
  assert.deepEqual(await keysOf(world, id), [old, undefined, 'ok']);
  assert.deepEqual(await statuses(world, old, 'c'), ['active', 'revoked']);
  assert.deepEqual(await rotate(world, old, 'd'), [id]);
});

onBoth('the old key revoked: only the new one is left, to be tested', async ({ open }) => {
  const world = await createWorld(await open());
  const { account, keypairId: old, connectionId: id } = world;
  await rotate(world, old, 'new');
  const revoke = { id: old, nextKeys, audit };
  assert.equal(
    await account.keypairs.revoke({ ...revoke, isForced: false }),
    'active_sessions_exist',
  );
  assert.equal(await account.keypairs.revoke({ ...revoke, isForced: true }), 'revoked');
  assert.deepEqual(await keysOf(world, id), ['new', undefined, undefined]);
  assert.deepEqual(await statuses(world, old, 'new'), ['revoked', 'active']);
});

onBoth(
  'another key for a connection, or its deletion, lets the rotated one go',
  async ({ open }) => {
    const world = await createWorld(await open());
    const { account, keypairId: old, connectionId: one, sessionId } = world;
    const two = await secondConnection(world);
    await rotate(world, old, 'new');
    await account.connections.update({ id: one, fields: { keypairId: 'new' }, nextKeys, audit });
    assert.deepEqual(await keysOf(world, one), ['new', undefined, undefined]);
    assert.deepEqual(await statuses(world, old), ['rotated']);
    assert.equal(await account.connections.remove({ id: two, audit }), 'removed');
    assert.deepEqual(await statuses(world, old), ['revoked']);
    assert.ok(sessionId);
  },
);
