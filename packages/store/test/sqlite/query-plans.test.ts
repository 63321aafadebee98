/*
 * No query reads a whole table to find a few rows: the plan of every statement that the other tests' calls prepare.
 */
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { addMore, calls, noIds } from '../account/calls.ts';
import { migrations } from '../../src/migrations/migrate.ts';
import { statementsFor } from '../../src/migrations/migration.ts';
import { onSqlite } from '../backends.ts';
import { createWorld, owner } from '../world.ts';

const limits = { ownerStaleMs: 120_000, idleGraceMs: 300_000 };

/* Small by nature, and read as a whole on purpose. An account has one row in `audit_heads`. */
const wholeTables = [
  'accounts',
  'audit_heads',
  'gateway_instances',
  'control_migrations',
  'sqlite_schema',
];

onSqlite('every statement finds its rows by an index', async (backend, context) => {
  const spy = context.mock.method(DatabaseSync.prototype, 'prepare');
  const store = await backend.open();
  const world = await createWorld(store);
  const ids = { ...world, ...(await addMore(world)) };
  const { account } = world;
  for (const call of Object.values(calls)) if (call !== noIds) await call(account, ids);
  await account.devices.list();
  await account.apiTokens.list();
  // With what pushes out the oldest.
  await account.mcpSessions.create({
    idHash: 'another',
    tokenId: ids.tokenId,
    protocolVersion: '1',
    clientName: 'c',
    clientVersion: '1',
  });
  await account.connections.list();
  await account.sessions.list({ status: 'active' });
  await account.auditLog.list({ before: 9, action: 'test' });
  await account.once({ key: 'k', requestHash: 'h', work: async () => 1 });
  await store.system.tokens.find('hash-t');
  await store.system.tokens.stillGood(['id']);
  await store.system.leases.heartbeat(owner, limits);
  await store.system.leases.idle(owner, limits);
  await store.system.leases.ownedBy(owner);
  await store.system.leases.orphaned(owner, limits);
  await store.system.leases.count('active');
  await store.system.signIns.takeLink('l');
  await store.system.signIns.takeState({ stateHash: 's', browserHash: 'b' });
  await store.system.cleanup.removeExpired();
  spy.mock.restore();
  const texts = new Set(spy.mock.calls.map((call) => call.arguments[0]));
  assert.ok(texts.size > 40);
  assert.equal(backend.location.kind, 'sqlite');
  const db = new DatabaseSync(backend.location.path);
  try {
    const scans = [...texts]
      .filter((text) => /^\s*(?:select|insert|update|delete|with)\b/i.test(text))
      .filter((text) => !ofMigrations.has(text))
      .flatMap((text) => scansOf(db, text).map((scan) => `${scan}: ${text}`));
    assert.deepEqual(scans, []);
  } finally {
    db.close();
  }
});

/* They run once. */
const ofMigrations = new Set(migrations.flatMap((one) => statementsFor('sqlite', one)));

function scansOf(db: DatabaseSync, text: string): readonly string[] {
  const parameters = Array.from({ length: (text.match(/\?/g) ?? []).length }, () => null);
  return db
    .prepare(`EXPLAIN QUERY PLAN ${text}`)
    .all(...parameters)
    .map((row) => String(row['detail']))
    .filter((detail) => detail.startsWith('SCAN ') && !detail.includes(' INDEX '))
    .filter((detail) => !wholeTables.some((table) => detail.startsWith(`SCAN ${table}`)));
}
