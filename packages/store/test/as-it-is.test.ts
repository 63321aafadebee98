/*
 * A database that is opened as it is, by a process beside gateways: it is neither made nor migrated.
 */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createSystemRandom } from '@clawdfather/kit';
import { openStoreAsItIs } from '@clawdfather/store';
import { sql } from 'kysely';
import { migrations } from '../src/migrations/migrate.ts';
import { onBoth, onPostgres, onSqlite } from './backends.ts';
import { createAccount } from './world.ts';

const random = createSystemRandom();

onBoth('what a gateway has brought up to date is read and written beside it', async (backend) => {
  const { open, location, clock } = backend;
  const gateway = await open();
  const { accountId } = await createAccount(gateway, 'ann');
  await using beside = await openStoreAsItIs(location, { clock, random });
  await beside.forAccount(accountId).auditLog.record({ action: 'test', actor: 'cli:ann' });
  assert.equal((await gateway.forAccount(accountId).auditLog.list()).entries[0]?.actor, 'cli:ann');
  // One that starts meanwhile is not kept waiting, and what closes takes nothing along.
  const next = await open();
  await beside.close();
  assert.equal((await next.readiness()).isReady, true);
});

onBoth('one of an older or a newer version is refused, and left as it is', async (backend) => {
  const { openEngine, location, clock } = backend;
  const engine = await openEngine();
  await engine.migrate(migrations.slice(0, -1));
  const before = await engine.migrationStatus();
  await assert.rejects(openStoreAsItIs(location, { clock, random }), { code: 'store-older' });
  assert.deepEqual(await engine.migrationStatus(), before);
  await engine.migrate();
  await engine.write((db) =>
    sql`INSERT INTO control_migrations (version, name, hash, applied_at_ms) VALUES (9999, 'n', 'h', 1)`.execute(
      db,
    ),
  );
  await assert.rejects(openStoreAsItIs(location, { clock, random }), { code: 'store-newer' });
});

onSqlite('a file that is not there is not made', async ({ directory, clock }) => {
  const path = join(directory, 'none.db');
  const opening = openStoreAsItIs({ kind: 'sqlite', path }, { clock, random });
  await assert.rejects(opening, { code: 'store-missing' });
  assert.ok(!existsSync(path));
});

onPostgres('an empty database stays empty', async ({ location, clock, openEngine }) => {
  await assert.rejects(openStoreAsItIs(location, { clock, random }), { code: 'store-older' });
  const engine = await openEngine();
  const { rows } = await engine.read((db) =>
    sql`SELECT 1 FROM information_schema.tables WHERE table_schema = 'public'`.execute(db),
  );
  assert.equal(rows.length, 0);
});
