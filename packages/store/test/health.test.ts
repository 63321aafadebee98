/*
 * Readiness writes and reads: a database that answers and does not work is not ready.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { readSnapshot } from '@clawdfather/sqlite';
import { sql } from 'kysely';
import { onBoth, onSqlite } from './backends.ts';
import { refuseUpdates } from './refuse-updates.ts';

onBoth('readiness leaves one row, however often it is asked for', async ({ open, openEngine }) => {
  const store = await open();
  for (let count = 0; count < 3; count += 1) assert.equal((await store.readiness()).database, 'up');
  const engine = await openEngine();
  const rows = await engine.read((db) => db.selectFrom('health_beats').selectAll().execute());
  assert.deepEqual(
    rows.map(({ id, beats }) => [id, beats]),
    [[1, 3]],
  );
});

onBoth('a database that lacks a table is damaged and not ready', async ({ open, openEngine }) => {
  for (const table of ['turn_events', 'health_beats']) {
    const store = await open();
    assert.equal((await store.readiness()).isReady, true);
    const engine = await openEngine();
    await engine.write((db) => sql.raw(`ALTER TABLE ${table} RENAME TO aside`).execute(db));
    const { isReady, database } = await store.readiness();
    assert.deepEqual([isReady, database], [false, 'damaged'], table);
    await engine.write((db) => sql.raw(`ALTER TABLE aside RENAME TO ${table}`).execute(db));
    assert.equal((await store.readiness()).isReady, true);
  }
});

onBoth(
  'a database that can be read and not written is unwritable',
  async ({ open, openEngine }) => {
    const store = await open();
    const engine = await openEngine();
    assert.equal((await store.readiness()).isReady, true);
    await refuseUpdates(engine, 'health_beats');
    const { isReady, database } = await store.readiness();
    assert.deepEqual([isReady, database], [false, 'unwritable']);
  },
);

/* A checkpoint begins with the first page. It is in the file, and the pages that it speaks of are only in the log. */
function foldFirstPageIn(path: string): void {
  const merged = readSnapshot(path) ?? assert.fail('there is a database');
  const first = merged.subarray(0, 4096);
  // A snapshot says of itself that it has no log.
  first.fill(2, 18, 20);
  const file = openSync(path, 'r+');
  writeSync(file, first, 0, first.length, 0);
  closeSync(file);
}

onSqlite('a checkpoint that a full disk ended in the middle is no damage', async (backend) => {
  assert.ok(backend.location.kind === 'sqlite');
  const first = await backend.open();
  assert.equal((await first.readiness()).database, 'up');
  const path = join(backend.directory, 'later.db');
  // By another process: closing a file here would drop the locks of the open database.
  for (const end of ['', '-wal']) {
    execFileSync('cp', [`${backend.location.path}${end}`, `${path}${end}`]);
  }
  foldFirstPageIn(path);
  const store = await backend.open({ kind: 'sqlite', path });
  assert.equal((await store.readiness()).database, 'up');
});
