/*
 * Which master keys a database was used with: noted once, forgotten only on demand, and known of databases of before.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { sql } from 'kysely';
import { checkBackup } from '@clawdfather/store';
import { migrations } from '../../src/migrations/migrate.ts';
import { onBoth, onSqlite } from '../backends.ts';
import { audit, createWorld } from '../world.ts';

const [one, two] = ['0123456789abcdef', 'fedcba9876543210'];

onBoth('keys are noted once, and forgotten when somebody goes on without', async ({ open }) => {
  const { masterKeys, auditLog } = (await open()).system;
  const note = (...ids: string[]) =>
    masterKeys.note({ ids, audit: { action: 'master-key.note', actor: 'gateway' } });
  await note(one);
  await note(one);
  await note(one, two);
  assert.deepEqual(await masterKeys.list(), [one, two]);
  const written = await auditLog.list({ action: 'master-key.note' });
  assert.deepEqual(
    written.entries.map(({ target }) => target),
    [two, one],
  );
  assert.equal(await masterKeys.forgetOthers({ ids: [two], audit }), 1);
  assert.deepEqual(await masterKeys.list(), [two]);
});

onBoth('the keys that wrap the secrets of an older database are known', async (backend) => {
  const engine = await backend.openEngine();
  await engine.migrate(migrations.slice(0, 7));
  await engine.write(async (db) => {
    await sql`INSERT INTO accounts (id, kind, display_name, created_at_ms)
      VALUES ('old', 'member', 'Old', 1)`.execute(db);
    const add = (id: string, status: string, sealed: string) =>
      sql`INSERT INTO agent_keypairs
          (account_id, id, label, public_key, private_enc, fingerprint, status, created_at_ms)
        VALUES ('old', ${id}, ${id}, 'p', ${sealed}, ${id}, ${status}, 1)`.execute(db);
    await add('a', 'active', `clf-envelope.1.${one}.AA.BB`);
    await add('b', 'active', `clf-envelope.1.${one}.CC.DD`);
    await add('c', 'revoked', `clf-envelope.1.${two}.AA.BB`);
    await add('d', 'active', 'something else');
  });
  const store = await backend.open();
  assert.deepEqual(await store.system.masterKeys.list(), [one]);
});

onSqlite('a backup tells which keys its secrets need', async (backend) => {
  const store = await backend.open();
  await createWorld(store);
  await store.system.masterKeys.note({ ids: [two], audit });
  const path = join(backend.directory, 'backup.db');
  await store.backup(path);
  assert.deepEqual(checkBackup(path).masterKeyIds, [two]);
});
