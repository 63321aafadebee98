/*
 * Keys over HTTP: made here, never shown, limited, revoked for good.
 */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { createJsonLog, createSystemClock, createSystemRandom } from '@clawdfather/kit';
import {
  createKeyCustody,
  createMasterKms,
  nextConnectionKeys as nextKeys,
  openMasterKeys,
} from '@clawdfather/ssh';
import { createAsk } from '../fixtures/api-client.ts';
import { openTestGateway, type TestGateway } from '../fixtures/open-test-gateway.ts';

async function custodyOf({ gateway, config }: TestGateway) {
  const random = createSystemRandom();
  const masters = await openMasterKeys(join(config.stateDir, 'master-keys'), random);
  const kms = createMasterKms(masters, random);
  return createKeyCustody({
    recordsOf: (id) => gateway.store.forAccount(id).keypairs,
    random,
    kms,
  });
}

test('a key is made, listed, shown with its command, and every change is in the audit log', async () => {
  await using rig = await openTestGateway();
  const ask = createAsk(rig);
  const made = await ask('POST', 'keys', { body: { label: ' my laptop ' } });
  assert.equal(made.status, 201);
  const { key } = made.body;
  assert.equal(key.label, 'my laptop');
  assert.match(key.public_key, /^ssh-ed25519 [A-Za-z0-9+/]+ clawdfather-my-laptop-[a-z0-9]{12}$/);
  assert.match(key.fingerprint, /^SHA256:[A-Za-z0-9+/]{43}$/);
  const list = await ask('GET', 'keys');
  assert.deepEqual(list.body, { items: [key], total: 1, limit: 20, offset: 0 });
  const install = await ask('GET', `keys/${key.id}/install-command`);
  assert.equal(install.body.public_key, key.public_key);
  assert.ok(install.body.command.includes(key.public_key));
  assert.equal((await ask('DELETE', `keys/${key.id}`)).status, 204);
  assert.equal((await ask('DELETE', `keys/${key.id}`)).status, 404);
  assert.equal((await ask('GET', `keys/${key.id}/install-command`)).status, 404);
  const { entries } = (await ask('GET', 'audit')).body;
  const ours = entries.filter(({ action }: { action: string }) => action.startsWith('key.'));
  assert.deepEqual(
    ours.map((entry: { action: string; target: string }) => [entry.action, entry.target]),
    [
      ['key.revoke', key.id],
      ['key.create', key.id],
    ],
  );
});

test('the private half is in no answer, log, audit entry or file, and opens only for its account', async () => {
  const lines: string[] = [];
  const clock = createSystemClock();
  const log = createJsonLog({ clock, levelMin: 'debug', write: (line) => lines.push(line) });
  await using rig = await openTestGateway({ deps: { log } });
  const ask = createAsk(rig);
  const answers = [await ask('POST', 'keys', { body: { label: 'a' } })];
  const { id } = answers[0]?.body.key ?? {};
  for (const path of ['keys', `keys/${id}/install-command`, 'audit']) {
    answers.push(await ask('GET', path));
  }
  const custody = await custodyOf(rig);
  const secret = (await custody.open(rig.owner.accountId, id))?.toString() ?? '';
  assert.match(secret, /^-----BEGIN OPENSSH PRIVATE KEY-----\n/);
  const inner = Buffer.from(secret.replace(/-----.*-----/g, ''), 'base64');
  // Seed and point follow the second name of the type and the first point.
  const both = inner.subarray(inner.lastIndexOf('ssh-ed25519') + 11 + 36 + 4).subarray(0, 64);
  const blob = Buffer.from(answers[0]?.body.key.public_key.split(' ')[1], 'base64');
  assert.deepEqual(both.subarray(32), blob.subarray(-32));
  const seed = both.subarray(0, 32);
  const canaries = [
    seed,
    Buffer.from(seed.toString('hex')),
    Buffer.from(seed.toString('base64').slice(0, 40)),
    Buffer.from(secret.split('\n')[2] ?? ''),
    Buffer.from('OPENSSH PRIVATE KEY'),
  ];
  const places = [Buffer.from(answers.map(({ text }) => text).join()), Buffer.from(lines.join())];
  const files = await readdir(rig.directory, { recursive: true, withFileTypes: true });
  for (const file of files.filter((entry) => entry.isFile())) {
    places.push(await readFile(join(file.parentPath, file.name)));
  }
  for (const place of places) {
    for (const canary of canaries) assert.equal(place.includes(canary), false);
  }
  assert.equal(await custody.open(rig.other.accountId, id), undefined);
});

test('a rotation keeps the label, and each connection its key and its test until the new one is proven', async () => {
  await using rig = await openTestGateway();
  const ask = createAsk(rig);
  const old = (await ask('POST', 'keys', { body: { label: 'a' } })).body.key;
  const made = await ask('POST', 'connections', {
    body: { label: 'c', host: 'example.org', username: 'me', keypair_id: old.id },
  });
  const { connections } = rig.gateway.store.forAccount(rig.owner.accountId);
  const connectionId = made.body.connection.id;
  const tested = { id: connectionId, result: 'ok', audit: { action: 'test', actor: 'test' } };
  await connections.recordTest({ ...tested, pin: { key: 'k', fingerprint: 'SHA256:f' } });
  const rotated = await ask('POST', `keys/${old.id}/rotate`);
  assert.equal(rotated.status, 201);
  const { key, connection_ids: ids } = rotated.body;
  assert.deepEqual([key.label, ids], ['a', [connectionId]]);
  assert.notEqual(key.fingerprint, old.fingerprint);
  const shown = async () => (await ask('GET', `connections/${connectionId}`)).body.connection;
  const during = await shown();
  assert.deepEqual([during.keypair_id, during.next_keypair_id], [old.id, key.id]);
  assert.deepEqual([during.last_test.result, during.host_key_fingerprint], ['ok', 'SHA256:f']);
  assert.equal((await ask('POST', `keys/${old.id}/rotate`)).status, 404);
  const listed = async () =>
    (await ask('GET', 'keys')).body.items.map((one: { id: string; status: string }) => [
      one.id,
      one.status,
    ]);
  const both = [
    [key.id, 'active'],
    [old.id, 'rotated'],
  ];
  assert.deepEqual(new Map(await listed()), new Map(both as [string, string][]));
  await connections.recordTest({ ...tested, proven: { keypairId: key.id, nextKeys } });
  const after = await shown();
  assert.deepEqual([after.keypair_id, after.next_keypair_id], [key.id, null]);
  assert.deepEqual(await listed(), [[key.id, 'active']]);
});

test('labels are unique, five keys are enough, and five changes an hour are too', async () => {
  await using rig = await openTestGateway();
  const ask = createAsk(rig);
  await ask('POST', 'keys', { body: { label: 'a' } });
  const again = await ask('POST', 'keys', { body: { label: 'a' } });
  assert.deepEqual([again.status, again.body.error.code], [409, 'label_exists']);
  // The rest behind the API, which would count them.
  const { keypairs } = rig.gateway.store.forAccount(rig.owner.accountId);
  for (const id of ['k1', 'k2', 'k3', 'k4']) {
    const key = { id, publicKey: 'p', privateEnc: 'e', fingerprint: 'f' };
    await keypairs.create({
      key,
      label: id,
      activeMax: 5,
      audit: { action: 'test', actor: 'test' },
    });
  }
  const sixth = await ask('POST', 'keys', { body: { label: 'b' } });
  assert.deepEqual([sixth.status, sixth.body.error.code], [409, 'key_limit_reached']);
  // Of a member; the owner has the machine.
  const { token } = rig.other;
  const change = () => ask('POST', 'keys', { body: { label: 'b' }, token });
  for (let left = 5; left > 0; left -= 1) await change();
  const limited = await change();
  assert.deepEqual([limited.status, limited.body.error.code], [429, 'rate_limited']);
});

test('a key in use is revoked only by force, which closes the sessions and erases the private half', async () => {
  await using rig = await openTestGateway();
  const ask = createAsk(rig);
  const { store } = rig.gateway;
  const mine = store.forAccount(rig.owner.accountId);
  const audit = { action: 'test', actor: 'test' };
  const { key } = (await ask('POST', 'keys', { body: { label: 'a' } })).body;
  const { connection } = (
    await ask('POST', 'connections', {
      body: { label: 'c', host: 'h', username: 'me', keypair_id: key.id },
    })
  ).body;
  const pin = { key: 'k', fingerprint: 'SHA256:f' };
  await mine.connections.recordTest({ id: connection.id, result: 'ok', pin, audit });
  const owner = { instanceId: 'elsewhere', generation: 1 };
  const create = { agent: 'a', owner, openMax: 3, audit };
  const created = await mine.sessions.create({ ...create, connectionId: connection.id });
  const spared = await mine.sessions.create(create);
  assert.ok('session' in created && 'session' in spared);

  const refused = await ask('DELETE', `keys/${key.id}`);
  assert.deepEqual([refused.status, refused.body.error.code], [409, 'active_sessions_exist']);
  assert.equal((await ask('DELETE', `keys/${key.id}?force=true`)).status, 204);
  const { session } = (await ask('GET', `sessions/${created.session.id}`)).body;
  assert.deepEqual([session.close_reason, session.connection.label], ['key_revoked', 'c']);
  const other = (await ask('GET', `sessions/${spared.session.id}`)).body.session;
  assert.equal(other.closed_at, null);
  assert.equal(await (await custodyOf(rig)).open(rig.owner.accountId, key.id), undefined);
});
