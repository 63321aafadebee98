/*
 * What the queries without an account promise: signing in, gateways, the two clocks, limits, the clean-up.
 */
import assert from 'node:assert/strict';
import { decideOn, idleGraceMs, nextSession, ownerStaleMs } from '@clawdfather/sessions';
import { parseAccountId } from '@clawdfather/store';
import { stateOf } from '../../src/account/session-row.ts';
import { onBoth } from '../backends.ts';
import { refuseUpdates } from '../refuse-updates.ts';
import { audit, createAccount, createWorld, owner } from '../world.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const limits = { ownerStaleMs, idleGraceMs };
const profile = {
  provider: 'github',
  providerUserId: '42',
  login: 'ann',
  displayName: 'Ann',
  email: 'ann@example.test',
};

onBoth('an identity leads to one account, whatever its name becomes', async ({ open }) => {
  const store = await open();
  const signIn = (login: string, mayCreate = true) =>
    store.system.accounts.signIn({ profile: { ...profile, login }, mayCreate, audit });
  assert.deepEqual(await signIn('ann', false), { outcome: 'not_admitted' });
  const first = await signIn('ann');
  const second = await signIn('ann-renamed', false);
  assert.deepEqual([first.outcome, second.outcome], ['created', 'known']);
  assert.ok('account' in first && 'account' in second);
  assert.equal(first.account.id, second.account.id);
  const account = store.forAccount(parseAccountId(first.account.id));

  await account.devices.create({ tokenHash: 'h', device: 'phone', audit });
  assert.equal(await store.system.accounts.disable({ id: first.account.id, audit }), 'disabled');
  assert.equal(await store.system.accounts.disable({ id: first.account.id, audit }), 'not_found');
  assert.deepEqual(await signIn('ann'), { outcome: 'disabled' });
  assert.equal(await store.system.tokens.find('h'), undefined);
});

onBoth('states are bound to their browser, single-use, ten minutes', async ({ open, clock }) => {
  const { signIns } = (await open()).system;
  const save = (stateHash: string) =>
    signIns.saveState({
      stateHash,
      provider: 'github',
      verifier: 'v',
      browserHash: 'b',
      redirectUri: '/',
    });
  await save('s1');
  const taken = await signIns.takeState({ stateHash: 's1', browserHash: 'b' });
  assert.equal(taken?.verifier, 'v');
  assert.equal(await signIns.takeState({ stateHash: 's1', browserHash: 'b' }), undefined);
  await save('s2');
  assert.equal(await signIns.takeState({ stateHash: 's2', browserHash: 'other' }), undefined);
  assert.equal(
    await signIns.takeState({ stateHash: 's2', browserHash: 'b' }),
    undefined,
    'used up',
  );
  await save('s3');
  clock.advance(10 * minuteMs);
  assert.equal(await signIns.takeState({ stateHash: 's3', browserHash: 'b' }), undefined);
});

onBoth('login links expire', async ({ open, clock }) => {
  const store = await open();
  const { accountId } = await createAccount(store, 'ann');
  await store.system.signIns.saveLink({ linkHash: 'l', accountId });
  clock.advance(10 * minuteMs);
  assert.equal(await store.system.signIns.takeLink('l'), undefined);
});

onBoth('of many tokens those are told that can still be used', async ({ open, clock }) => {
  const store = await open();
  const [ann, bob] = [await createAccount(store, 'ann'), await createAccount(store, 'bob')];
  const devices: string[] = [];
  for (let index = 0; index < 70; index += 1) {
    const device = { tokenHash: `h${index}`, device: 'phone', audit };
    devices.push((await ann.devices.create(device)).id);
  }
  const made = await ann.apiTokens.create({ tokenHash: 't', label: 'ci', scopes: ['read'], audit });
  assert.ok(made.outcome === 'created');
  const bobs = (await bob.devices.create({ tokenHash: 'b', device: 'tablet', audit })).id;
  const ids = [...devices, made.token.id, bobs, 'unknown'];
  const good = async () => [...(await store.system.tokens.stillGood(ids))].toSorted();
  assert.deepEqual(await good(), [...devices, made.token.id, bobs].toSorted());

  await ann.devices.revokeOthers({ exceptId: devices[69] ?? '', audit });
  await ann.apiTokens.revoke({ id: made.token.id, audit });
  await store.system.accounts.disable({ id: bob.accountId, audit });
  assert.deepEqual(await good(), [devices[69]]);
  clock.advance(30 * dayMs);
  assert.deepEqual(await good(), []);
  assert.deepEqual([...(await store.system.tokens.stillGood([]))], []);
});

onBoth('a token slides with use, and never beyond 90 days', async ({ open, clock }) => {
  const store = await open();
  const account = await createAccount(store, 'ann');
  const made = await account.devices.create({ tokenHash: 'h', device: 'phone', audit });
  const find = () => store.system.tokens.find('h');
  clock.advance(30_000);
  assert.equal((await find())?.expiresAtMs, made.expiresAtMs, 'not written for every use');
  for (let day = 0; day < 3; day += 1) {
    clock.advance(29 * dayMs);
    const found = await find();
    assert.ok(found !== undefined && found.expiresAtMs <= made.expiresAtMsMax);
  }
  assert.equal((await find())?.expiresAtMs, made.expiresAtMsMax);
  clock.advance(4 * dayMs);
  assert.equal(await find(), undefined);
});

onBoth(
  'a gateway that starts again has a new generation, and the old one is told',
  async ({ open }) => {
    const { instances } = (await open()).system;
    const start = { instanceId: 'gateway-a', version: '1', address: '127.0.0.1:8420' };
    const first = await instances.start(start);
    const second = await instances.start(start);
    assert.deepEqual([first.generation, second.generation], [1, 2]);
    assert.equal(await instances.heartbeat(first), 'superseded');
    assert.equal(await instances.heartbeat(second), 'alive');
    assert.equal(await instances.stop(first), 'superseded');
    assert.equal(await instances.stop(second), 'stopped');
    assert.equal((await instances.list())[0]?.generation, 2);
    const [starts] = await instances.startsSince(0);
    assert.deepEqual(
      [starts?.count, starts?.firstGeneration, starts?.lastGeneration],
      [2, 1, 2],
      'every start is kept',
    );
    assert.deepEqual(await instances.startsSince(starts?.lastAtMs ?? 0), []);
  },
);

onBoth(
  'the owner clock: silence for two minutes makes an orphan, not a closed session',
  async (backend) => {
    const store = await backend.open();
    const { account, sessionId } = await createWorld(store);
    const other = { instanceId: 'gateway-b', generation: 1 };
    const { leases } = store.system;
    backend.clock.advance(119_000);
    assert.deepEqual(await leases.orphaned(other, limits), []);
    assert.equal(await leases.heartbeat(owner, limits), 1);
    backend.clock.advance(121_000);
    assert.deepEqual(
      (await leases.orphaned(other, limits)).map(({ id }) => id),
      [sessionId],
    );
    assert.deepEqual(await leases.orphaned(owner, limits), [], 'its own are not orphans');
    const successor = { ...owner, generation: 2 };
    assert.equal((await leases.orphaned(successor, limits)).length, 1, 'at once');
    assert.equal((await account.sessions.get(sessionId))?.status, 'active');
    assert.equal(await leases.count('active'), 1);
    const take = decideOn({ type: 'taken', by: other }, audit);
    const taken = await account.sessions.change(sessionId, take);
    assert.equal(taken.outcome, 'changed');
    assert.equal((await leases.ownedBy(other)).length, 1);
  },
);

onBoth('the client clock: idle and grace, as the account has set it', async (backend) => {
  const store = await backend.open();
  const { account, sessionId } = await createWorld(store);
  const { leases } = store.system;
  const pass = async (minutes: number) => {
    for (let minute = 0; minute < minutes; minute += 1) {
      backend.clock.advance(minuteMs);
      await leases.heartbeat(owner, limits);
    }
  };
  await pass(36);
  assert.equal((await leases.idle(owner, limits)).length, 1);
  assert.equal(await account.sessions.clientSeen(sessionId), 'seen');
  await pass(34);
  assert.deepEqual(await leases.idle(owner, limits), [], 'within the grace');
  await pass(2);
  assert.equal((await leases.idle(owner, limits)).length, 1);
  await account.settings.update({ settings: { idleTimeoutMs: 60 * minuteMs }, audit });
  assert.deepEqual(await leases.idle(owner, limits), [], 'as the account has set it');
});

onBoth('downtime of the gateway is not idleness of the client', async (backend) => {
  const store = await backend.open();
  await createWorld(store);
  const { leases } = store.system;
  backend.clock.advance(10 * 60 * minuteMs);
  assert.deepEqual(await leases.idle(owner, limits), [], 'not before the owner was heard');
  await leases.heartbeat(owner, limits);
  assert.deepEqual(await leases.idle(owner, limits), []);
});

onBoth('the heartbeat of all sessions does the same as nextSession for one', async (backend) => {
  const store = await backend.open();
  const { account, sessionId } = await createWorld(store);
  const engine = await backend.openEngine();
  const rowOf = () =>
    engine.read((db) => db.selectFrom('session_leases').selectAll().executeTakeFirstOrThrow());
  for (const [silentMs, isSeen] of [
    [1_000, false],
    [119_999, true],
    [200_000, false],
    [500_000, true],
    [121_000, false],
  ] as const) {
    if (isSeen) {
      backend.clock.advance(500);
      await account.sessions.clientSeen(sessionId);
    }
    backend.clock.advance(silentMs);
    const before = stateOf(await rowOf());
    await store.system.leases.heartbeat(owner, limits);
    const after = stateOf(await rowOf());
    const atMs = after.ownerHeartbeatAtMs;
    const step = nextSession(before, { type: 'owner-beat', epoch: before.epoch }, atMs);
    assert.deepEqual(step, { outcome: 'changed', state: after });
  }
});

onBoth('rate limits: windows, lock-outs, forgetting', async ({ open, clock }) => {
  const { rateLimits } = (await open()).system;
  const key = { scope: 'auth.callback', subject: '192.0.2.1' };
  const limit = { ...key, hitsMax: 2, windowMs: minuteMs, lockMs: 60 * minuteMs };
  const hit = async () => (await rateLimits.hit(limit)).isAllowed;
  assert.deepEqual([await hit(), await hit()], [true, true]);
  clock.advance(minuteMs);
  assert.deepEqual([await hit(), await hit(), await hit()], [true, true, false]);
  clock.advance(59 * minuteMs);
  assert.equal(await hit(), false, 'still locked out');
  clock.advance(2 * minuteMs);
  assert.equal(await hit(), true);
  await rateLimits.forget(key);
  assert.equal((await rateLimits.hit(limit)).remaining, 1);
});

onBoth('what belongs to no account has a log of its own', async ({ open }) => {
  const store = await open();
  const { account } = await createWorld(store);
  await store.system.auditLog.record({ action: 'auth.refused', actor: '192.0.2.9' });
  const { entries } = await store.system.auditLog.list({ action: 'auth.refused' });
  assert.equal(entries.length, 1);
  assert.deepEqual((await account.auditLog.list({ action: 'auth.refused' })).entries, []);
});

onBoth(
  'a token is as good where its use cannot be written down',
  async ({ open, openEngine, clock }) => {
    const store = await open();
    const account = await createAccount(store, 'ann');
    const device = await account.devices.create({ tokenHash: 'h', device: 'phone', audit });
    clock.advance(2 * minuteMs);
    await refuseUpdates(await openEngine(), 'app_sessions');
    const found = await store.system.tokens.find('h');
    assert.equal(found?.id, device.id);
    assert.equal(found.expiresAtMs, device.expiresAtMs, 'not prolonged');
  },
);
