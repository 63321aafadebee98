/*
 * Accounts are strictly apart: every query of account A, called with the ids of account B, answers exactly as it does for
 * ids that nobody has. A query that is not in the table below fails the test, so a new one cannot be forgotten.
 */
import assert from 'node:assert/strict';
import type { AccountStore } from '@clawdfather/store';
import { type Backend, onBoth } from '../backends.ts';
import { audit, createWorld, type World } from '../world.ts';
import { addMore, calls, noIds, nobody } from './calls.ts';

onBoth('every query is in the table of isolation', async ({ open }) => {
  const store = await open();
  const { account } = await createWorld(store, 'ann');
  const names = partsOf(account).flatMap(([part, queries]) =>
    Object.keys(queries).map((name) => `${part}.${name}`),
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
    if (call === noIds) continue;
    const missing = await call(ann.account, nobody);
    const foreign = await call(ann.account, ids);
    assert.deepEqual(foreign, missing, name);
  }
  assert.deepEqual(await everythingOf(backend, bob), before);
});

onBoth('ids that no database should see are refused alike by every query', async ({ open }) => {
  const { account } = await createWorld(await open());
  for (const text of ['a\0b', 'a\ud800b']) {
    const ids = Object.fromEntries(Object.keys(nobody).map((name) => [name, text]));
    for (const [name, call] of Object.entries(calls)) {
      if (call === noIds) continue;
      await assert.rejects(call(account, { ...nobody, ...ids }), { code: 'value-invalid' }, name);
    }
  }
  await assert.rejects(account.auditLog.list({ before: 1.5 }), { code: 'value-invalid' });
  await assert.rejects(account.connections.list({ offset: Number.NaN }), { code: 'value-invalid' });
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
      (await account.auditLog.list({ limit: 100 })).entries,
    ].flat();
    assert.ok(found.length >= 6);
    for (const row of found) assert.equal(row.accountId, account.accountId);
    assert.deepEqual(await account.threads.list(), { items: [], total: 0 });
    assert.deepEqual(await account.threads.openAsks(), []);
    assert.deepEqual(await account.threads.openPrompts(), []);
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

/** They are getters of its class or of the one above, so that only what is asked for is made. */
function partsOf(account: AccountStore): readonly (readonly [string, object])[] {
  const classes = [
    Object.getPrototypeOf(account),
    Object.getPrototypeOf(Object.getPrototypeOf(account)),
  ];
  return classes
    .flatMap((one: object) => Object.keys(Object.getOwnPropertyDescriptors(one)))
    .map((name) => [name, Reflect.get(account, name)] as const)
    .filter((entry): entry is readonly [string, object] => typeof entry[1] === 'object');
}

/** Every row that names the account, from every table. */
async function everythingOf({ openEngine }: Backend, { account }: World): Promise<unknown> {
  const engine = await openEngine();
  const tables = [
    'app_sessions',
    'login_codes',
    'api_tokens',
    'agent_keypairs',
    'ssh_connections',
    'session_leases',
    'mcp_sessions',
    'threads',
    'turns',
    'turn_events',
    'agent_runs',
    'acp_frames',
    'acp_calls',
    'acp_asks',
    'blobs',
    'account_event_heads',
    'account_events',
    'notices',
    'notice_deliveries',
    'push_subscriptions',
    'device_presence',
    'idempotency_keys',
    'audit_log',
    'settings',
  ] as const;
  return await engine.read(async (db) => {
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
