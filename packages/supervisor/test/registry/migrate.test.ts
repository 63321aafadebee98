/*
 * Migrations: numbered, immutable, forward-only, run once however many start.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { migrate, migrations } from '../../src/registry/migrate.ts';
import { openRig } from './registry-rig.ts';

/* A released migration never changes; a change of mind is a new one with the next number. */
const releasedHashes: readonly string[] = [
  'be02e51f70e44ab25d0324bc4dd15056452edc985cba690ffd27fd9e2d949fad',
  '9da755d7f1d99cc861e3c5e9430fe2a4ee1d10eff21d09e917a668c3e6f8c1e0',
  'f31d5d21ba4e29a452e2ebfc33a3d24ec6e94c0be4a0011bb284a5d61d8f6461',
  '2124c3d2182c4cb80d3649390b51fa91934a3df4a5df2f7a8c3c9994074b8774',
  '1cb2907166584493dddefd15a60bd4441e4bc006bddd4dc987167881105e0f95',
];

test('released migrations are what they were', () => {
  const hashes = migrations.map(({ sql }) => createHash('sha256').update(sql).digest('hex'));
  assert.deepEqual(hashes, releasedHashes);
});

test('numbers run from one without holes', () => {
  assert.deepEqual(
    migrations.map(({ version }) => version),
    migrations.map((_, index) => index + 1),
  );
});

test('only what is missing runs, in order', () => {
  const db = new DatabaseSync(':memory:');
  const first = { version: 1, sql: 'CREATE TABLE notes (text TEXT)' };
  const second = { version: 2, sql: "INSERT INTO notes VALUES ('second')" };
  migrate(db, [first]);
  migrate(db, [first, second]);
  migrate(db, [first, second]);
  assert.deepEqual(
    db
      .prepare('SELECT text FROM notes')
      .all()
      .map((row) => row['text']),
    ['second'],
  );
  db.close();
});

test('a rule of version 3 gets an id, and stays', () => {
  const db = new DatabaseSync(':memory:');
  migrate(db, migrations.slice(0, 3));
  const values = "'local', '/usr/bin/make', '/usr/bin/make', 'approval-1', 'cli:ann', 7";
  db.exec(`INSERT INTO allow_rules (account, named_path, real_path, approval_id, added_by, added_at_ms)
    VALUES (${values})`);
  migrate(db);
  const rule = db.prepare('SELECT * FROM allow_rules').get();
  assert.match(String(rule?.['rule_id']), /^[0-9a-f]{16}$/);
  assert.deepEqual(
    [rule?.['named_path'], rule?.['added_at_ms'], rule?.['used_count'], rule?.['revoked_at_ms']],
    ['/usr/bin/make', 7, 0, null],
  );
  db.close();
});

test('an approval of version 4 stays what it was, bound to no file; what is changed counts as over', () => {
  const db = new DatabaseSync(':memory:');
  migrate(db, migrations.slice(0, 4));
  db.exec(`INSERT INTO approvals (seq, state, boot_id, lapses_boot_ms, created_at_ms, expires_at_ms, body_bytes, account,
      approval_id, run_id, action_hash, host, requester, requester_marks, why, cwd, command)
    VALUES (7, 1, 'boot', 1, 1, 1, 3, 'local', 'old', 'run-old', 'hash', 'local', 'mcp', '[]', 'why', '/', '{}');
    INSERT INTO approval_bodies VALUES (7, 'a', 'r', 's')`);
  migrate(db);
  const row = db.prepare('SELECT * FROM approvals JOIN approval_bodies USING (seq)').get();
  assert.deepEqual(
    [row?.['state'], row?.['action_hash'], row?.['request'], row?.['told_state']],
    [1, 'hash', 'r', 0],
  );
  const added = ['asked_hash', 'changed', 'asked_again_as', 'binding'];
  assert.deepEqual(
    added.map((name) => row?.[name]),
    [null, null, null, null],
  );
  db.exec('UPDATE approvals SET state = 5');
  assert.equal(db.prepare('SELECT count(*) AS count FROM approval_bodies').get()?.['count'], 0);
  db.close();
});

test('a registry of a newer version is refused and left as it is', async (t) => {
  const { registry, stateDir, openAnother } = await openRig(t);
  await registry.close();
  const db = new DatabaseSync(stateDir.registryFile);
  db.exec('PRAGMA user_version = 99');
  await assert.rejects(openAnother(), { code: 'registry-newer' });
  assert.equal(db.prepare('PRAGMA user_version').get()?.['user_version'], 99);
  db.close();
});

test('processes that start at once agree on one schema and one identity', async (t) => {
  const { registry, openAnother } = await openRig(t);
  const others = await Promise.all([openAnother(), openAnother(), openAnother()]);
  for (const other of others) assert.equal(other.instanceId, registry.instanceId);
});
