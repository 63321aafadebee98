/*
 * Probe and test over HTTP, against a host that answers as it is told: what is recorded, what is trusted, what is refused.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAsk, type Ask } from '../fixtures/api-client.ts';
import {
  createFakeHost,
  type FakeHost,
  fingerprintOf,
  hostKeyOf,
} from '../fixtures/fake-host-checks.ts';
import { openTestGateway, type TestGateway } from '../fixtures/open-test-gateway.ts';

interface World {
  readonly rig: TestGateway;
  readonly ask: Ask;
  readonly host: FakeHost;
  readonly keyId: string;
  readonly id: string;
  readonly check: (body?: object) => ReturnType<Ask>;
  readonly shown: () => ReturnType<Ask>;
}

async function withConnection(work: (world: World) => Promise<void>): Promise<void> {
  const host = createFakeHost();
  await using rig = await openTestGateway({ deps: { hostChecks: host.checks } });
  const ask = createAsk(rig);
  const keyId = (await ask('POST', 'keys', { body: { label: 'k' } })).body.key.id;
  const body = { label: 'web', host: 'example.org', username: 'deploy', keypair_id: keyId };
  const { id } = (await ask('POST', 'connections', { body })).body.connection;
  const check = (asked: object = {}) => ask('POST', `connections/${id}/test`, { body: asked });
  const shown = () => ask('GET', `connections/${id}`);
  await work({ rig, ask, host, keyId, id, check, shown });
}

test('a probe says what answers, and stores nothing', () =>
  withConnection(async ({ ask }) => {
    const probe = (body: object) => ask('POST', 'connections/probe', { body });
    const good = await probe({ host: 'box.example', port: 2222 });
    assert.deepEqual([good.status, good.body], [200, { status: 'connectable', latency_ms: 3 }]);
    const gone = await probe({ host: 'gone.example' });
    assert.deepEqual(gone.body, { status: 'dns_fail', latency_ms: null });
    assert.equal((await probe({ host: '-oProxyCommand=x' })).status, 400);
    assert.equal((await ask('GET', 'connections')).body.total, 1);
  }));

test('an unknown host key is shown and not trusted, until it is accepted', () =>
  withConnection(async ({ host, keyId, check, shown }) => {
    host.installed.add(keyId);
    const first = await check();
    assert.equal(first.status, 200);
    assert.deepEqual(
      [first.body.result, first.body.host_key_fingerprint, first.body.keypair_id],
      ['host_key_unknown', fingerprintOf('a'), null],
    );
    assert.equal((await shown()).body.connection.host_key_fingerprint, null);
    const wrong = await check({
      accept_host_key: true,
      host_key_fingerprint: fingerprintOf('b'),
    });
    assert.equal(wrong.body.result, 'host_key_unknown');
    const second = await check({
      accept_host_key: true,
      host_key_fingerprint: fingerprintOf('a'),
    });
    assert.deepEqual(
      [second.body.result, second.body.latency_ms, second.body.keypair_id],
      ['ok', 7, keyId],
    );
    const { connection } = (await shown()).body;
    assert.deepEqual(second.body.connection, connection);
    assert.equal(connection.host_key_fingerprint, fingerprintOf('a'));
    const { at: _, ...tested } = connection.last_test;
    assert.deepEqual(tested, { result: 'ok', cause: null, latency_ms: 7 });
    assert.equal((await check()).body.result, 'ok');
  }));

test('trust is kept although the key is not installed yet; nothing else is', () =>
  withConnection(async ({ check, shown }) => {
    const failed = await check({ accept_host_key: true });
    assert.deepEqual([failed.body.result, failed.body.cause], ['failed', 'key-not-installed']);
    const { connection } = (await shown()).body;
    assert.equal(connection.host_key_fingerprint, fingerprintOf('a'));
    const { result, cause } = connection.last_test;
    assert.deepEqual([result, cause], ['failed', 'key-not-installed']);
  }));

test('a port that claims to have accepted what nobody asked for changes no pin', () =>
  withConnection(async ({ host, keyId, check, shown }) => {
    host.answer = {
      result: 'ok',
      message: 'x',
      offered: hostKeyOf('z'),
      isAccepted: true,
      keypairId: keyId,
    };
    await check();
    assert.equal((await shown()).body.connection.host_key_fingerprint, null);
    await check({ accept_host_key: true, host_key_fingerprint: fingerprintOf('a') });
    assert.equal((await shown()).body.connection.host_key_fingerprint, null);
  }));

test('a changed host key is a refusal with both fingerprints, stops sessions, and is a decision', () =>
  withConnection(async ({ ask, host, keyId, id, check, shown }) => {
    host.installed.add(keyId);
    await check({ accept_host_key: true });
    host.hostKey = hostKeyOf('b');
    const changed = await check();
    assert.deepEqual([changed.status, changed.body.error.code], [409, 'host_key_changed']);
    assert.deepEqual(changed.body.error.detail, {
      old_fingerprint: fingerprintOf('a'),
      new_fingerprint: fingerprintOf('b'),
    });
    const { connection } = (await shown()).body;
    assert.equal(connection.host_key_fingerprint, fingerprintOf('a'));
    assert.equal(connection.last_test.result, 'host_key_changed');
    const start = await ask('POST', 'sessions', { body: { connection_id: id } });
    assert.equal(start.body.error.code, 'connection_not_tested');
    assert.equal((await check({ accept_host_key: true })).body.result, 'ok');
    assert.equal((await shown()).body.connection.host_key_fingerprint, fingerprintOf('b'));
    const { entries } = (await ask('GET', 'audit?action=connection.trust')).body;
    assert.deepEqual(
      entries.map(({ detail }: { detail: object }) => detail),
      [
        { result: 'ok', fingerprint: fingerprintOf('b') },
        { result: 'ok', fingerprint: fingerprintOf('a') },
      ],
    );
  }));

test('a test proves the new key of a rotation, or says that the old one is still needed', () =>
  withConnection(async ({ ask, host, keyId, check }) => {
    host.installed.add(keyId);
    await check({ accept_host_key: true });
    const next = (await ask('POST', `keys/${keyId}/rotate`)).body.key.id;
    const before = (await check()).body;
    assert.deepEqual([before.result, before.keypair_id], ['ok', keyId]);
    assert.deepEqual(
      [before.connection.keypair_id, before.connection.next_keypair_id],
      [keyId, next],
    );
    host.installed.add(next);
    const after = (await check()).body;
    assert.deepEqual([after.result, after.keypair_id], ['ok', next]);
    assert.deepEqual([after.connection.keypair_id, after.connection.next_keypair_id], [next, null]);
    assert.equal((await ask('GET', 'keys')).body.total, 1);
  }));

test('a connection that was changed while it was tested keeps what it is', () =>
  withConnection(async ({ ask, host, keyId, id, shown }) => {
    host.installed.add(keyId);
    host.beforeAnswer = async () => {
      await ask('PATCH', `connections/${id}`, { body: { host: 'other.example' } });
    };
    const body = { accept_host_key: true };
    const lost = await ask('POST', `connections/${id}/test`, { body });
    assert.equal(lost.status, 404);
    const { connection } = (await shown()).body;
    assert.deepEqual([connection.host_key_fingerprint, connection.last_test], [null, null]);
  }));

test('with a revoked key nothing is tried; five tests a minute are enough', () =>
  withConnection(async ({ ask, host, keyId, check }) => {
    for (let count = 0; count < 4; count += 1) await check();
    await ask('DELETE', `keys/${keyId}`);
    const tried = host.calls.length;
    const revoked = await check();
    assert.deepEqual([revoked.status, revoked.body.error.code], [409, 'keypair_revoked']);
    assert.equal(host.calls.length, tried);
    const limited = await check();
    assert.deepEqual([limited.status, limited.body.error.code], [429, 'rate_limited']);
  }));
