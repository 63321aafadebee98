/*
 * A copy made while everything goes on is one state of the database, and a bad copy is seen before it is restored.
 */
import assert from 'node:assert/strict';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkBackup, openStore } from '@clawdfather/store';
import { createSystemRandom } from '@clawdfather/kit';
import { onPostgres, onSqlite } from '../backends.ts';
import { isGapless, readNumbers, writeNumber } from '../numbered-writes.ts';
import { createToken, createWorld, tokenLabels } from '../world.ts';

onSqlite(
  'a backup under load is consistent, holds what came before it, and can be opened',
  async (backend) => {
    const store = await backend.open();
    const { account } = await createWorld(store);
    const write = (number: number) =>
      Promise.all(Array.from({ length: 20 }, () => writeNumber(account, number)));
    for (let index = 0; index < 50; index += 1) await write(index);
    let isCopying = true;
    const load = (async () => {
      let written = 0;
      for (; isCopying; written += 1) await write(written);
      return written;
    })();
    const path = join(backend.directory, 'copy.db');
    try {
      await store.backup(path);
    } finally {
      isCopying = false;
    }
    assert.ok((await load) > 0, 'writes went on');

    const report = checkBackup(path);
    assert.deepEqual([report.isSound, report.problems], [true, []]);
    assert.deepEqual(
      (await readdir(backend.directory)).filter((name) => name.startsWith('copy')),
      ['copy.db'],
    );
    assert.equal((await stat(path)).mode & 0o777, 0o600);
    const deps = { clock: backend.clock, random: createSystemRandom() };
    await using copy = await openStore({ kind: 'sqlite', path }, deps);
    const restored = copy.forAccount(account.accountId);
    const { seqs, numbers } = await readNumbers(copy, account.accountId);
    assert.ok(isGapless(seqs) && numbers.length >= 1_000);
    assert.equal((await createToken(restored, 'only here')).outcome, 'created');
    assert.deepEqual(await tokenLabels(account), []);
  },
);

onSqlite('a damaged copy is not sound', async (backend) => {
  const store = await backend.open();
  await createWorld(store);
  const path = join(backend.directory, 'copy.db');
  await store.backup(path);
  const bytes = await readFile(path);
  bytes.fill(0x5a, 8_192, 20_480);
  await writeFile(path, bytes);
  let isSound = true;
  try {
    ({ isSound } = checkBackup(path));
  } catch (error) {
    /* So damaged that SQLite will not even look: as good an answer. */
    isSound = !(error instanceof Error);
  }
  assert.equal(isSound, false);
});

onSqlite('a backup that cannot be written fails, and leaves nothing', async (backend) => {
  const store = await backend.open();
  const path = join(backend.directory, 'missing', 'copy.db');
  await assert.rejects(store.backup(path), { code: 'backup-failed' });
});

onPostgres('PostgreSQL is backed up by its own tools', async ({ open }) => {
  const store = await open();
  await assert.rejects(store.backup('copy.db'), { code: 'backup-failed' });
});
