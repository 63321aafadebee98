/*
 * Migrations: from every earlier version, once however many start at a time, and never on a database that does not fit.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { hashOf } from '../../src/migrations/migration.ts';
import { migrations } from '../../src/migrations/migrate.ts';
import type { Tables } from '../../src/schema/tables.ts';
import { onBoth } from '../backends.ts';
import { createWorld } from '../world.ts';

/* Released: a change of any of these is a new migration instead. */
const hashes = [
  'a780bf83c9d85532a05e2f79d8fde12918e34e5448c39096c89a1806af2c88c4',
  'b525c1e57fd023aa87fdb920f16982add7420aa9b5cfa0da6423f796a74b373b',
  'e854688876c134f8ed0873a2828f613c9c72a4133b5abfda77dcd38cdc4559cc',
  '37fb2ef581fb326e5d233b29f25c07eb6b428dd25c2bee71761f160984e57596',
  '270c60511b6d40af1538ead86ec2b505320e35915f87589d1f78596a08dec62b',
  '7db1da8587b1ba6aea6afb37a7863cba3e4ec159e98a0df98a7794ca11cba8da',
  '79e91754f679985507faf6c5de08244feed840413c9fa0bdfe2a51aa28ec99bc',
  '0972695f19913465b1c39dac1b48089f4c4394cdaaf88baf6173eea17b6bcf65',
  '23cc1e81ccfa1e6d677712a6a48e6121283fc29cd4542d0e3bb4471b12e0967c',
  '54b0a135d0296cd6a6edfbbee0de5d3e32ca8700246019a0d7a0d33dfec1ad56',
  'ef90413adb012feb567fd84cbb2a291002f576e9eb8970281361e796e21fb40f',
  '0ee6222b32ba261cfd701efe37b60855d62d57b87a5a9ea5e62335a91c970aa4',
  'd7c6c716bc61f0cdf7f9e81d8dcc53838592effeab7c397b3ff8917e8b87d0c1',
  'fb09d0d812bfdb7e0d612389ea718c6eb51fb09d39467dcf702059b6424f62fc',
  '8048f14e484fbe981d17026c7b1ddf7a665abc4263fda220ffdbcf8aa08fb58b',
  'fcb308e7a37670cbb17b8a558925a32eab1859677575400e28fc329e13653c0e',
  'f31130a12278022ad346b8f9684161ea05ea08da2167bcfe63da467bd7eb08b2',
  'fb7c97d53396f48b95cdf3f41b6feb3ab92ece499f3ac6a41bd2bc5e5e9de072',
  'fcc956c8a268f3fdc2019cf33e436163812c747950f2580e67a209cf49b81366',
  'cd4e0e246269c0c9dafb6cb63bf342c594a773d371c7cb1dd4b882278778ef9c',
  'e89d023f6b755c3b281a8a9c9b6881c38e229b346963682822f8400c5c09c1c8',
  '8cfe5d54d5051227726d0c2fc667d73a261949693329dda78108f85705b510a4',
  '36bc50ad2b83bfeef4fe72b983295715cb72cdc1dffe54cff0f113d0ebc753f7',
  'bbe7e8335997375f37fdbeaddce2a7f405074e1ff254b35031c92f59b2816880',
];

test('released migrations have not been changed', () => {
  assert.deepEqual(migrations.map(hashOf), hashes);
  assert.deepEqual(
    migrations.map(({ version }) => version),
    migrations.map((_, index) => index + 1),
  );
});

for (const { version } of migrations.slice(0, -1)) {
  onBoth(`a database of version ${version} becomes the newest, with its rows`, async (backend) => {
    const engine = await backend.openEngine();
    await engine.migrate(migrations.slice(0, version));
    assert.equal((await engine.migrationStatus()).state, 'pending');
    await engine.write((db) =>
      sql`INSERT INTO accounts (id, kind, display_name, created_at_ms)
        VALUES ('old', 'member', 'Old', 1)`.execute(db),
    );
    const store = await backend.open();
    assert.deepEqual(
      (await store.system.accounts.list()).map(({ id }) => id),
      ['old'],
    );
    await createWorld(store);
    assert.equal((await store.readiness()).migrations?.state, 'current');
  });
}

onBoth('an empty database says that it is not ready', async ({ openEngine }) => {
  const engine = await openEngine();
  assert.deepEqual(await engine.migrationStatus(), {
    state: 'pending',
    appliedVersion: 0,
    newestVersion: migrations.length,
  });
});

onBoth('several that start at once migrate once', async ({ openEngine }) => {
  const engines = await Promise.all(Array.from({ length: 4 }, () => openEngine()));
  const applied = await Promise.all(engines.map((engine) => engine.migrate()));
  assert.deepEqual(
    applied.flat(),
    migrations.map(({ version }) => version),
  );
});

onBoth('a migration that was changed after it ran is refused', async ({ open, openEngine }) => {
  const engine = await openEngine();
  await engine.migrate();
  await engine.write((db) =>
    sql`UPDATE control_migrations SET hash = 'other' WHERE version = 2`.execute(db),
  );
  assert.equal((await engine.migrationStatus()).culprit, 2);
  await assert.rejects(open(), { code: 'migration-changed', detail: { culprit: 2, ...ends } });
});

const ends = { appliedVersion: migrations.length, newestVersion: migrations.length };

onBoth('a hole in the list is refused', async ({ open, openEngine }) => {
  const engine = await openEngine();
  await engine.migrate();
  await engine.write((db) => sql`DELETE FROM control_migrations WHERE version = 1`.execute(db));
  await assert.rejects(open(), { code: 'migration-missing' });
});

onBoth('a database that a newer version wrote is refused', async ({ open, openEngine }) => {
  const engine = await openEngine();
  await engine.migrate();
  await engine.write((db) =>
    sql`INSERT INTO control_migrations VALUES (99, 'future', 'x', 1)`.execute(db),
  );
  assert.equal((await engine.migrationStatus()).state, 'newer');
  await assert.rejects(open(), { code: 'store-newer' });
});

onBoth('a migration that fails leaves nothing of itself', async ({ openEngine }) => {
  const engine = await openEngine();
  await engine.migrate();
  const broken = {
    version: migrations.length + 1,
    name: 'broken',
    statements: () => ['CREATE TABLE half_done (id TEXT)', 'CREATE TABLE accounts (id TEXT)'],
  };
  await assert.rejects(engine.migrate([...migrations, broken]), { code: 'store-failed' });
  assert.equal((await engine.migrationStatus()).state, 'current');
  await assert.rejects(engine.read((db) => sql`SELECT * FROM half_done`.execute(db)));
});

onBoth('the tables are those that the queries know', async ({ kind, openEngine }) => {
  const engine = await openEngine();
  await engine.migrate();
  const known: Readonly<Record<keyof Tables, true>> = {
    accounts: true,
    oauth_identities: true,
    app_sessions: true,
    api_tokens: true,
    oauth_states: true,
    login_links: true,
    login_codes: true,
    agent_keypairs: true,
    ssh_connections: true,
    session_leases: true,
    gateway_instances: true,
    gateway_starts: true,
    threads: true,
    turns: true,
    turn_events: true,
    artifact_syncs: true,
    artifacts: true,
    agent_runs: true,
    agent_keys: true,
    acp_frames: true,
    acp_calls: true,
    acp_asks: true,
    blobs: true,
    push_keys: true,
    push_subscriptions: true,
    device_presence: true,
    agent_choices: true,
    idempotency_keys: true,
    audit_log: true,
    audit_heads: true,
    settings: true,
    rate_limits: true,
    control_migrations: true,
    health_beats: true,
    mcp_sessions: true,
    master_keys: true,
    account_event_heads: true,
    account_events: true,
    notices: true,
    notice_deliveries: true,
  };
  const { rows } = await engine.read((db) =>
    (kind === 'sqlite'
      ? sql<{ name: string }>`SELECT name FROM sqlite_schema WHERE type = 'table'
          AND name NOT LIKE 'sqlite_%'`
      : sql<{ name: string }>`SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`
    ).execute(db),
  );
  assert.deepEqual(rows.map(({ name }) => name).toSorted(), Object.keys(known).toSorted());
});

onBoth('a gateway goes on while a newer one adds a column', async ({ open, openEngine }) => {
  const store = await open();
  const { account, sessionId } = await createWorld(store);
  const look = async () => [
    (await account.sessions.get(sessionId))?.id,
    (await account.sessions.list()).total,
    (await account.transaction(({ sessions }) => sessions.get(sessionId)))?.agent,
  ];
  const before = await look();
  const engine = await openEngine();
  await engine.write((db) =>
    sql`ALTER TABLE session_leases ADD COLUMN later TEXT DEFAULT 'x'`.execute(db),
  );
  assert.deepEqual(await look(), before);
  assert.equal(await account.sessions.clientSeen(sessionId), 'seen');
});
