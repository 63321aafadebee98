/*
 * Readiness writes and reads: a database that answers and does not work is not ready.
 */
import assert from 'node:assert/strict';
import { sql } from 'kysely';
import { onBoth } from './backends.ts';
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
