/*
 * Group commit on SQLite: together on disk, each on its own otherwise, and never in the way of the event loop.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { onSqlite } from '../backends.ts';
import { createAccount, createToken, createWorld, tokenLabels } from '../world.ts';

const lockHolder = fileURLToPath(new URL('../fixtures/lock-holder.ts', import.meta.url));

onSqlite(
  'writes of one turn share a commit, and one that fails takes nothing with it',
  async (backend) => {
    const { account } = await createWorld(await backend.open());
    const create = (label: string) => createToken(account, label);
    const results = await Promise.allSettled([
      create('one'),
      create('bad\0'),
      account.transaction(async (queries) => {
        await createToken(queries, 'undone');
        throw new RangeError('after a change');
      }),
      create('two'),
    ]);
    assert.deepEqual(
      results.map(({ status }) => status),
      ['fulfilled', 'rejected', 'rejected', 'fulfilled'],
    );
    assert.deepEqual(await tokenLabels(account), ['one', 'two']);
  },
);

onSqlite(
  'a write that waits for something else is refused, and what it does later reaches nothing',
  async (backend) => {
    const { account } = await createWorld(await backend.open());
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    const { promise: late, resolve: lateOutcome } = Promise.withResolvers<unknown>();
    const waiting = account.transaction(async (queries) => {
      await createToken(queries, 'early');
      await gate;
      await createToken(queries, 'late').then(lateOutcome, lateOutcome);
    });
    const behind = createToken(account, 'behind');
    await assert.rejects(waiting, { code: 'work-waited' });
    assert.equal((await behind).outcome, 'created');
    open();
    assert.ok((await late) instanceof Error);
    assert.deepEqual(await tokenLabels(account), ['behind']);
  },
);

onSqlite(
  'a lock held by another process delays writes, not the event loop and not reads',
  async (backend) => {
    const store = await backend.open();
    const account = await createAccount(store, 'ann');
    assert.equal(backend.location.kind, 'sqlite');
    const holder = spawn(
      process.execPath,
      ['--conditions=@clawdfather/source', lockHolder, backend.location.path],
      { stdio: ['pipe', 'pipe', 'inherit'] },
    );
    await once(holder.stdout, 'data');
    let isWritten = false;
    const write = createToken(account, 'later').then(() => {
      isWritten = true;
    });
    for (let turn = 0; turn < 200; turn += 1) await new Promise(setImmediate);
    assert.deepEqual(await tokenLabels(account), [], 'reads go on');
    assert.equal(isWritten, false);
    const exited = once(holder, 'exit');
    holder.stdin.end();
    await Promise.all([write, exited]);
    assert.deepEqual(await tokenLabels(account), ['later']);
  },
);

onSqlite('closing waits for what was written before', async (backend) => {
  const store = await backend.open();
  const { account } = await createWorld(store);
  const writes = Array.from({ length: 50 }, (_, index) => createToken(account, `t${index}`));
  await store.close();
  await Promise.all(writes);
  const again = await backend.open();
  assert.equal((await tokenLabels(again.forAccount(account.accountId))).length, 50);
});

onSqlite('the file is as durable as promised', async (backend) => {
  const engine = await backend.openEngine();
  const pragma = async (name: string) =>
    Object.values(
      (await engine.write((db) => sql.raw(`PRAGMA ${name}`).execute(db))).rows[0] as object,
    )[0];
  assert.equal(await pragma('journal_mode'), 'wal');
  assert.equal(await pragma('synchronous'), 2);
  assert.equal(await pragma('foreign_keys'), 1);
  assert.equal(await pragma('busy_timeout'), 0);
});

onSqlite('its files are private, the log too', async (backend) => {
  await backend.open();
  const names = (await readdir(backend.directory)).toSorted();
  assert.deepEqual(names, ['control.db', 'control.db-shm', 'control.db-wal']);
  for (const name of names) {
    assert.equal((await stat(join(backend.directory, name))).mode & 0o777, 0o600, name);
  }
});

onSqlite('a full disk fails the whole group, says so, and heals with space', async (backend) => {
  const engine = await backend.openEngine();
  await engine.migrate();
  const pages = async (limit: string) =>
    await engine.write((db) => sql.raw(`PRAGMA max_page_count${limit}`).execute(db));
  await engine.write((db) => sql`CREATE TABLE big (text TEXT)`.execute(db));
  const fill = (bytes: number) =>
    engine.write((db) => sql`INSERT INTO big VALUES (${'x'.repeat(bytes)})`.execute(db));
  await pages(' = 1');
  const results = await Promise.allSettled([fill(1), fill(2_000_000), fill(1)]);
  const reasons = results.map((result) => result.status === 'rejected' && result.reason.code);
  assert.deepEqual(reasons.slice(0, 2), ['store-full', 'store-full'], 'together');
  await pages(' = 1073741823');
  await fill(2_000_000);
  const { rows } = await engine.read((db) =>
    sql<{ bytes: number }>`SELECT length(text) AS bytes FROM big ORDER BY bytes`.execute(db),
  );
  const isThirdIn = results[2]?.status === 'fulfilled';
  assert.deepEqual(
    rows.map(({ bytes }) => bytes),
    isThirdIn ? [1, 2_000_000] : [2_000_000],
  );
});

onSqlite('the database itself refuses a row that points into another account', async (backend) => {
  const store = await backend.open();
  const ann = await createWorld(store, 'ann');
  const bob = await createWorld(store, 'bob');
  await store.close();
  assert.equal(backend.location.kind, 'sqlite');
  const db = new DatabaseSync(backend.location.path);
  try {
    assert.throws(() =>
      db
        .prepare('UPDATE session_leases SET connection_id = ? WHERE id = ?')
        .run(bob.connectionId, ann.sessionId),
    );
  } finally {
    db.close();
  }
});
