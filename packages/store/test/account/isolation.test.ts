/*
 * Accounts are strictly apart: every query of account A, called with the ids of account B, answers exactly as it does for
 * ids that nobody has. A query that is not in the table below fails the test, so a new one cannot be forgotten.
 */
import assert from 'node:assert/strict';
import type { AccountQueries } from '@clawdfather/store';
import { type Backend, onBoth } from '../backends.ts';
import { audit, createWorld, owner, type World } from '../world.ts';

/** Ids to call with: those of another account, or of nobody. */
interface Ids {
  readonly keypairId: string;
  readonly connectionId: string;
  readonly sessionId: string;
  readonly threadId: string;
  readonly turnId: string;
  readonly deviceId: string;
  readonly tokenId: string;
  readonly pushId: string;
}

type Call = (queries: AccountQueries, ids: Ids) => Promise<unknown>;

const none = 'takes no id of a row';
const newKey = { id: 'fresh', publicKey: 'p', privateEnc: 's', fingerprint: 'f' };
const fields = { label: 'other', host: 'h', port: 22, username: 'u' };

const calls: Readonly<Record<string, Call | typeof none>> = {
  'profile.get': none,
  'profile.identities': none,
  'profile.rename': none,
  'devices.list': none,
  'devices.create': none,
  'devices.revoke': (q, { deviceId }) => q.devices.revoke({ id: deviceId, audit }),
  'devices.revokeOthers': none,
  'apiTokens.list': none,
  'apiTokens.create': none,
  'apiTokens.revoke': (q, { tokenId }) => q.apiTokens.revoke({ id: tokenId, audit }),
  'keypairs.list': none,
  'keypairs.get': (q, { keypairId }) => q.keypairs.get(keypairId),
  'keypairs.sealedOf': (q, { keypairId }) => q.keypairs.sealedOf(keypairId),
  'keypairs.create': none,
  'keypairs.rotate': (q, { keypairId }) => q.keypairs.rotate({ id: keypairId, key: newKey, audit }),
  'keypairs.revoke': (q, { keypairId }) =>
    q.keypairs.revoke({ id: keypairId, isForced: false, audit }),
  'keypairs.rewrap': (q, { keypairId }) =>
    q.keypairs.rewrap({ id: keypairId, from: 'sealed-bob', to: 'stolen' }),
  'connections.list': none,
  'connections.get': (q, { connectionId }) => q.connections.get(connectionId),
  'connections.create': (q, { keypairId }) =>
    q.connections.create({ fields: { ...fields, keypairId }, audit }),
  'connections.update': (q, { connectionId, keypairId }) =>
    q.connections.update({ id: connectionId, fields: { keypairId }, audit }),
  'connections.recordTest': (q, { connectionId }) =>
    q.connections.recordTest({ id: connectionId, result: 'ok', audit }),
  'connections.remove': (q, { connectionId }) => q.connections.remove({ id: connectionId, audit }),
  'sessions.list': none,
  'sessions.get': (q, { sessionId }) => q.sessions.get(sessionId),
  'sessions.create': (q, { connectionId }) =>
    q.sessions.create({ connectionId, agent: 'claude', owner, openMax: 9, audit }),
  'sessions.activate': (q, { sessionId }) =>
    q.sessions.activate({ id: sessionId, epoch: 1, audit }),
  'sessions.fail': (q, { sessionId }) =>
    q.sessions.fail({ id: sessionId, epoch: 1, errorCode: 'e', errorMessage: 'm', audit }),
  'sessions.close': (q, { sessionId }) =>
    q.sessions.close({ id: sessionId, epoch: 1, reason: 'user', audit }),
  'sessions.take': (q, { sessionId }) =>
    q.sessions.take({ id: sessionId, by: { ...owner, generation: 9 }, audit }),
  'sessions.clientSeen': (q, { sessionId }) => q.sessions.clientSeen(sessionId),
  'threads.list': (q, { sessionId }) => q.threads.list({ sessionId }),
  'threads.get': (q, { threadId }) => q.threads.get(threadId),
  'threads.create': (q, { sessionId }) => q.threads.create({ sessionId, title: 't', audit }),
  'threads.archive': (q, { threadId }) => q.threads.archive({ id: threadId, audit }),
  'turns.list': (q, { threadId }) => q.turns.list({ threadId }),
  'turns.get': (q, { turnId }) => q.turns.get(turnId),
  'turns.enqueue': (q, { threadId }) =>
    q.turns.enqueue({
      turn: {
        threadId,
        agent: 'a',
        loadClass: 'long_task',
        prompt: 'p',
        clientMessageId: 'message-bob',
      },
      audit,
    }),
  'turns.start': (q, { turnId }) => q.turns.start({ id: turnId, epoch: 1, deadlineAtMs: 1, audit }),
  'turns.progress': (q, { turnId }) =>
    q.turns.progress({ id: turnId, epoch: 1, progress: { stage: 'x' } }),
  'turns.finish': (q, { turnId }) =>
    q.turns.finish({
      id: turnId,
      epoch: 1,
      status: 'failed',
      resultCode: 'error',
      result: {},
      audit,
    }),
  'events.append': (q, { threadId }) =>
    q.events.append({
      threadId,
      epoch: 1,
      events: [{ type: 'delta', payload: 'x' }],
      cursor: { source: 'run', from: 'c1', to: 'c2' },
    }),
  'events.read': (q, { threadId }) => q.events.read({ threadId, afterSeq: 0 }),
  'events.cursor': (q, { threadId }) => q.events.cursor({ threadId, source: 'run' }),
  'pushSubscriptions.list': none,
  'pushSubscriptions.save': none,
  'pushSubscriptions.remove': (q, { pushId }) => q.pushSubscriptions.remove({ id: pushId, audit }),
  'pushSubscriptions.markFailed': (q, { pushId }) => q.pushSubscriptions.markFailed(pushId),
  'settings.get': none,
  'settings.update': none,
  'auditLog.list': none,
  'auditLog.record': none,
};

/* Threads may be named by clients: the same name in two accounts is two threads. */
const nobody: Ids = {
  keypairId: 'none1',
  connectionId: 'none2',
  sessionId: 'none3',
  threadId: 'none4',
  turnId: 'none5',
  deviceId: 'none6',
  tokenId: 'none7',
  pushId: 'none8',
};

onBoth('every query is in the table of isolation', async ({ open }) => {
  const store = await open();
  const { account } = await createWorld(store, 'ann');
  const names = Object.entries(account).flatMap(([group, queries]) =>
    typeof queries === 'object' ? Object.keys(queries).map((name) => `${group}.${name}`) : [],
  );
  assert.deepEqual(names.toSorted(), Object.keys(calls).toSorted());
});

onBoth('ids of another account answer like ids of nobody, and change nothing', async (backend) => {
  const store = await backend.open();
  const ann = await createWorld(store, 'ann');
  const bob = await createWorld(store, 'bob');
  const ids = { ...bob, ...(await addMore(bob)) };
  const before = await everythingOf(backend, bob);
  for (const [name, call] of Object.entries(calls)) {
    if (call === none) continue;
    const missing = await call(ann.account, nobody);
    const foreign = await call(ann.account, ids);
    assert.deepEqual(foreign, missing, name);
  }
  assert.deepEqual(await everythingOf(backend, bob), before);
});

onBoth(
  'lists, settings and the audit log of one account hold nothing of another',
  async (backend) => {
    const store = await backend.open();
    const ann = await createWorld(store, 'ann');
    const bob = await createWorld(store, 'bob');
    await addMore(bob);
    const { account } = ann;
    const found = [
      await account.devices.list(),
      await account.apiTokens.list(),
      await account.keypairs.list(),
      (await account.connections.list()).items,
      (await account.sessions.list()).items,
      (await account.threads.list()).items,
      (await account.turns.list()).items,
      await account.pushSubscriptions.list(),
      await account.profile.identities(),
      (await account.auditLog.list({ limit: 100 })).entries,
    ].flat();
    assert.ok(found.length >= 6);
    for (const row of found) assert.equal(row.accountId, account.accountId);
    assert.equal((await account.settings.get()).idleTimeoutMs, 1_800_000);
    assert.deepEqual(await account.devices.revokeOthers({ audit }), []);
  },
);

onBoth('the same idempotency key in two accounts is two keys', async ({ open }) => {
  const store = await open();
  const ann = await createWorld(store, 'ann');
  const bob = await createWorld(store, 'bob');
  const work = (result: string) => ({ key: 'k', requestHash: 'h', work: async () => result });
  assert.deepEqual(await ann.account.once(work('ann')), { outcome: 'done', result: 'ann' });
  assert.deepEqual(await bob.account.once(work('bob')), { outcome: 'done', result: 'bob' });
});

async function addMore({ account, threadId }: World) {
  const device = await account.devices.create({ tokenHash: 'hash-d', device: 'phone', audit });
  const token = await account.apiTokens.create({
    tokenHash: 'hash-t',
    label: 'ci',
    scopes: ['read'],
    audit,
  });
  assert.equal(token.outcome, 'created');
  const push = await account.pushSubscriptions.save({
    endpoint: 'https://push.test/1',
    p256dh: 'p',
    auth: 'a',
    device: 'phone',
    audit,
  });
  await account.settings.update({ settings: { idleTimeoutMs: 600_000 }, audit });
  await account.turns.enqueue({
    turn: {
      threadId,
      agent: 'a',
      loadClass: 'long_task',
      prompt: 'p',
      clientMessageId: 'message-bob',
    },
    audit,
  });
  await account.events.append({
    threadId,
    epoch: 1,
    events: [{ type: 'delta', payload: { text: 'secret' } }],
    cursor: { source: 'run', to: 'c1' },
  });
  return { deviceId: device.id, tokenId: token.token.id, pushId: push.id };
}

/** Every row that names the account, from every table. */
async function everythingOf({ openEngine }: Backend, { account }: World): Promise<unknown> {
  const engine = await openEngine();
  const tables = [
    'app_sessions',
    'api_tokens',
    'agent_keypairs',
    'ssh_connections',
    'session_leases',
    'threads',
    'turns',
    'turn_events',
    'event_cursors',
    'push_subscriptions',
    'idempotency_keys',
    'audit_log',
    'settings',
  ] as const;
  return await engine.snapshot(async (db) => {
    const rows: unknown[] = [];
    for (const table of tables) {
      const own = await db
        .selectFrom(table)
        .selectAll()
        .where('account_id', '=', account.accountId)
        .execute();
      rows.push(own.map((row) => JSON.stringify(row)).toSorted());
    }
    return rows;
  });
}
