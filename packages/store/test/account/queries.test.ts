/*
 * What each query of an account promises, on both databases.
 */
import assert from 'node:assert/strict';
import { decideOn } from '@clawdfather/sessions';
import { nextConnectionKeys as nextKeys } from '@clawdfather/ssh';
import { onBoth } from '../backends.ts';
import {
  audit,
  createAccount,
  createToken,
  createWorld,
  owner,
  tokenLabels,
  userCloses,
} from '../world.ts';

const key = (id: string) => ({ id, publicKey: 'p', privateEnc: `s-${id}`, fingerprint: 'f' });
const dayMs = 24 * 3_600_000;

onBoth('profile: it can be read', async ({ open }) => {
  const account = await createAccount(await open(), 'Ann ✓ 名');
  assert.equal((await account.profile.get())?.displayName, 'Ann ✓ 名');
});

onBoth('text that one of the two cannot hold is refused on both', async ({ open }) => {
  const account = await createAccount(await open(), 'ann');
  for (const label of ['a\0b', 'a\ud800b']) {
    await assert.rejects(createToken(account, label), { code: 'value-invalid' });
  }
});

onBoth('devices: listed until they are revoked or expire', async ({ open, clock }) => {
  const store = await open();
  const account = await createAccount(store, 'ann');
  const [one, two, three] = [
    await account.devices.create({ tokenHash: 'h1', device: 'phone', audit }),
    await account.devices.create({ tokenHash: 'h2', device: 'laptop', audit }),
    await account.devices.create({ tokenHash: 'h3', device: 'tablet', audit }),
  ];
  assert.ok(!('tokenHash' in one));
  assert.equal(await account.devices.revoke({ id: one.id, audit }), 'revoked');
  assert.equal(await account.devices.revoke({ id: one.id, audit }), 'not_found');
  assert.deepEqual(await account.devices.revokeOthers({ exceptId: two.id, audit }), [three.id]);
  assert.deepEqual(
    (await account.devices.list()).map(({ id }) => id),
    [two.id],
  );
  assert.equal(await store.system.tokens.find('h1'), undefined);
  assert.equal((await store.system.tokens.find('h2'))?.kind, 'device');
  clock.advance(31 * dayMs);
  assert.deepEqual(await account.devices.list(), []);
  assert.equal(await store.system.tokens.find('h2'), undefined);
});

onBoth(
  'devices: one that signs in again is one, and its old token is no good',
  async ({ open }) => {
    const store = await open();
    const account = await createAccount(store, 'ann');
    const first = await account.devices.create({ tokenHash: 'h1', device: 'phone', audit });
    const again = { tokenHash: 'h2', device: 'phone', audit };
    const second = await account.devices.replace({ ...again, id: first.id });
    assert.deepEqual(
      (await account.devices.list()).map(({ id }) => id),
      [second?.id],
    );
    assert.equal(await store.system.tokens.find('h1'), undefined);
    assert.equal((await store.system.tokens.find('h2'))?.id, second?.id);
    const twice = { ...again, tokenHash: 'h3', id: first.id };
    assert.equal(await account.devices.replace(twice), undefined, 'it has a successor already');
    assert.equal(await store.system.tokens.find('h3'), undefined);
  },
);

onBoth('tokens: labels are unique among those in use, scopes come back', async ({ open }) => {
  const store = await open();
  const account = await createAccount(store, 'ann');
  const token = { label: 'ci', scopes: ['read', 'run'], audit } as const;
  const made = await account.apiTokens.create({ ...token, tokenHash: 't1' });
  assert.equal(made.outcome, 'created');
  const again = await account.apiTokens.create({ ...token, tokenHash: 't2' });
  assert.deepEqual(again, { outcome: 'label_exists' });
  assert.deepEqual((await store.system.tokens.find('t1'))?.scopes, ['read', 'run']);
  assert.equal(await account.apiTokens.revoke({ id: made.token.id, audit }), 'revoked');
  assert.equal(await store.system.tokens.find('t1'), undefined);
  const third = await account.apiTokens.create({ ...token, tokenHash: 't3' });
  assert.equal(third.outcome, 'created');
  assert.equal((await account.apiTokens.list()).length, 1);
});

onBoth('keys: a limit, a label, an envelope, a revocation', async ({ open }) => {
  const { account, keypairId } = await createWorld(await open());
  const create = (id: string, label: string, activeMax = 5) =>
    account.keypairs.create({ key: key(id), label, activeMax, audit });
  assert.equal((await create('k2', 'laptop')).outcome, 'label_exists');
  assert.equal((await create('k2', 'other', 1)).outcome, 'key_limit_reached');
  assert.equal(await account.keypairs.sealedOf(keypairId), 'sealed-ann');
  const seen = await account.keypairs.get(keypairId);
  assert.ok(seen !== undefined && !('privateEnc' in seen));
  const rewrap = { id: keypairId, from: 'sealed-ann', to: 'sealed-anew' };
  assert.equal(await account.keypairs.rewrap(rewrap), 'rewrapped');
  assert.equal(await account.keypairs.rewrap(rewrap), 'not_found');

  const revoke = { id: keypairId, nextKeys, audit };
  assert.equal(
    await account.keypairs.revoke({ ...revoke, isForced: false }),
    'active_sessions_exist',
  );
  assert.equal(await account.keypairs.revoke({ ...revoke, isForced: true }), 'revoked');
  assert.equal(await account.keypairs.revoke({ ...revoke, isForced: true }), 'not_found');
  assert.equal(await account.keypairs.sealedOf(keypairId), undefined);
});

onBoth('connections: another host clears pin and test, another user the test', async ({ open }) => {
  const { account, connectionId: id } = await createWorld(await open());
  const update = async (fields: object) => {
    const updated = await account.connections.update({ id, fields, nextKeys, audit });
    assert.equal(updated.outcome, 'updated');
    return updated.connection;
  };
  const pin = { key: 'k', fingerprint: 'f' };
  const renamed = await update({ label: 'new name' });
  assert.deepEqual([renamed.testResult, renamed.pinFingerprint], ['ok', 'SHA256:y']);
  const otherUser = await update({ username: 'root' });
  assert.deepEqual([otherUser.testResult, otherUser.pinFingerprint], [undefined, 'SHA256:y']);
  await account.connections.recordTest({ id, result: 'ok', pin, audit });
  const otherPort = await update({ port: 2222 });
  assert.deepEqual([otherPort.testResult, otherPort.pinKey], [undefined, undefined]);
});

onBoth('connections: labels, keys and deletion', async ({ open }) => {
  const { account, connectionId: id, keypairId, sessionId } = await createWorld(await open());
  const fields = { label: 'box', host: 'h', port: 22, username: 'u', keypairId };
  assert.equal((await account.connections.create({ fields, audit })).outcome, 'label_exists');
  const second = await account.connections.create({ fields: { ...fields, label: 'two' }, audit });
  assert.equal(second.outcome, 'created');
  const rename = { id: second.connection.id, fields: { label: 'box' }, nextKeys, audit };
  assert.equal((await account.connections.update(rename)).outcome, 'label_exists');
  assert.equal(await account.connections.remove({ id, audit }), 'active_session_exists');
  await account.sessions.change(sessionId, userCloses);
  assert.equal(await account.connections.remove({ id, audit }), 'removed');
  assert.equal(await account.connections.remove({ id, audit }), 'not_found');
  assert.equal(await account.connections.get(id), undefined);
  assert.equal((await account.connections.update(rename)).outcome, 'updated', 'the label is free');
  const page = await account.connections.list({ limit: 1, offset: 5 });
  assert.deepEqual([page.items.length, page.total], [0, 1]);
});

onBoth('sessions: what stops one from starting', async ({ open }) => {
  const { account, connectionId, keypairId } = await createWorld(await open());
  const start = { agent: 'claude', owner, openMax: 3, audit };
  const missing = await account.sessions.create({ ...start, connectionId: 'none' });
  assert.deepEqual(missing, { outcome: 'connection_not_found' });
  await account.connections.recordTest({ id: connectionId, result: 'failed', audit });
  const untested = await account.sessions.create({ ...start, connectionId });
  assert.deepEqual(untested, { outcome: 'connection_not_tested' });
  await account.keypairs.revoke({ id: keypairId, isForced: true, nextKeys, audit });
  const revoked = await account.sessions.create({ ...start, connectionId });
  assert.deepEqual(revoked, { outcome: 'keypair_revoked' });
  const limited = await account.sessions.create({ ...start, openMax: 1 });
  assert.deepEqual(limited, { outcome: 'session_limit_reached' });
  const local = await account.sessions.create(start);
  assert.equal(local.outcome, 'created');
  assert.equal((await account.sessions.list({ status: 'pending' })).total, 1);
  const { id } = local.session;
  const cancelled = await account.sessions.change(id, userCloses);
  assert.ok(cancelled.outcome === 'changed');
  assert.deepEqual(
    [cancelled.session.status, cancelled.session.errorCode, cancelled.session.closeReason],
    ['error', 'cancelled', 'user'],
  );
  assert.equal((await account.sessions.change(id, userCloses)).outcome, 'unchanged');
  const late = decideOn({ type: 'activated', epoch: 1 }, audit);
  assert.equal((await account.sessions.change(id, late)).outcome, 'ended');
  const { entries } = await account.auditLog.list({ action: 'session.close', target: id });
  assert.equal(entries.length, 1);
});

onBoth('settings: defaults, changes, bounds', async ({ open }) => {
  const account = await createAccount(await open(), 'ann');
  assert.deepEqual(await account.settings.get(), { idleTimeoutMs: 1_800_000, notifications: {} });
  await account.settings.update({ settings: { notifications: { done: true } }, audit });
  await account.settings.update({ settings: { idleTimeoutMs: 300_000 }, audit });
  assert.deepEqual(await account.settings.get(), {
    idleTimeoutMs: 300_000,
    notifications: { done: true },
  });
  const update = account.settings.update({ settings: { idleTimeoutMs: 1 }, audit });
  await assert.rejects(update, { code: 'value-invalid' });
});

onBoth(
  'audit: an entry with every change, none without, numbered without gaps',
  async ({ open }) => {
    const account = await createAccount(await open(), 'ann');
    const entry = (action: string) => ({
      action,
      actor: 'device:1',
      ip: '192.0.2.7',
      traceId: 'abc',
      detail: { why: 'test' },
    });
    const before = (await account.auditLog.list()).entries.length;
    await account.keypairs.create({
      key: key('a'),
      label: 'a',
      activeMax: 5,
      audit: entry('key.add'),
    });
    await account.keypairs.create({
      key: key('b'),
      label: 'a',
      activeMax: 5,
      audit: entry('key.add'),
    });
    await account.keypairs.revoke({
      id: 'none',
      isForced: true,
      nextKeys,
      audit: entry('key.revoke'),
    });
    await account.auditLog.record(entry('auth.refused'));
    const { entries, hasMore } = await account.auditLog.list();
    assert.deepEqual(entries.map(({ seq, action }) => [seq, action]).slice(0, 2), [
      [before + 2, 'auth.refused'],
      [before + 1, 'key.add'],
    ]);
    assert.equal(hasMore, false);
    const { atMs, ...added } = entries[1]!;
    assert.ok(atMs > 0);
    assert.deepEqual(added, {
      accountId: account.accountId,
      seq: before + 1,
      target: 'a',
      ...entry('key.add'),
    });
  },
);

onBoth('audit: pages by cursor and by action', async ({ open }) => {
  const account = await createAccount(await open(), 'ann');
  for (let index = 0; index < 7; index += 1) {
    await account.auditLog.record({ action: index % 2 === 0 ? 'even' : 'odd', actor: 'x' });
  }
  const seen: number[] = [];
  let before: number | undefined;
  do {
    const page = await account.auditLog.list({
      action: 'even',
      limit: 2,
      ...(before === undefined ? {} : { before }),
    });
    seen.push(...page.entries.map(({ seq }) => seq));
    before = page.nextBefore;
  } while (before !== undefined);
  assert.deepEqual(seen, [8, 6, 4, 2]);
});

onBoth('a transaction is all or nothing, its audit entries too', async ({ open }) => {
  const { account } = await createWorld(await open());
  const before = await account.auditLog.list({ limit: 100 });
  const failing = account.transaction(async (queries) => {
    await createToken(queries, 'a');
    assert.deepEqual(await tokenLabels(queries), ['a'], 'it sees its own');
    throw new RangeError('no');
  });
  await assert.rejects(failing, RangeError);
  assert.deepEqual(await tokenLabels(account), []);
  assert.deepEqual(await account.auditLog.list({ limit: 100 }), before);
});
