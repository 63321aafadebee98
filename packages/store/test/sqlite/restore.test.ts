/*
 * A backup takes the database's place whole or not at all, never under a running gateway, and what it replaced is kept.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmod,
  copyFile,
  link,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { createSystemRandom } from '@clawdfather/kit';
import { checkBackup, openStore, restoreBackup } from '@clawdfather/store';
import { type Backend, onSqlite } from '../backends.ts';
import { createAccount } from '../world.ts';

const program = fileURLToPath(new URL('../fixtures/restore.ts', import.meta.url));
const lockHolder = fileURLToPath(new URL('../fixtures/lock-holder.ts', import.meta.url));

interface Scene {
  readonly databasePath: string;
  readonly backupPath: string;
  /** The names of its accounts, through a store that is opened for it. */
  readonly names: (path?: string) => Promise<readonly string[]>;
  readonly restore: () => ReturnType<typeof restoreBackup>;
}

/** The backup knows ann; the database knows ann and bob. */
async function openScene(backend: Backend): Promise<Scene> {
  const { directory, clock } = backend;
  const databasePath = join(directory, 'control.db');
  const backupPath = join(directory, 'backup.db');
  const store = await backend.open();
  await createAccount(store, 'ann');
  await store.backup(backupPath);
  await createAccount(store, 'bob');
  await store.close();
  return {
    databasePath,
    backupPath,
    names: async (path = databasePath) => {
      const deps = { clock, random: createSystemRandom() };
      await using opened = await openStore({ kind: 'sqlite', path }, deps);
      return (await opened.system.accounts.list()).map(({ displayName }) => displayName).toSorted();
    },
    restore: () => restoreBackup({ backupPath, databasePath }, { clock }),
  };
}

const filesOf = async ({ directory }: Backend): Promise<readonly string[]> =>
  (await readdir(directory)).toSorted();

onSqlite('a restore puts the backup in place and keeps what was there', async (backend) => {
  const { databasePath, backupPath, names, restore } = await openScene(backend);
  const before = await readFile(backupPath);
  const { replacedPath = '', migrations } = await restore();
  assert.equal(migrations.state, 'current');
  assert.deepEqual(await names(), ['ann']);
  assert.deepEqual(await names(replacedPath), ['ann', 'bob']);
  assert.match(basename(replacedPath), /^control\.db\.replaced-\d{4}-\d\d-\d\dT/);
  assert.deepEqual(await readFile(backupPath), before, 'it is still a backup');
  assert.equal((await stat(databasePath)).mode & 0o777, 0o600);
  assert.equal((await stat(replacedPath)).nlink, 1);
  assert.deepEqual(
    await filesOf(backend),
    ['backup.db', 'control.db', basename(replacedPath)].toSorted(),
  );
});

onSqlite('a restore where there was no database, but its log', async (backend) => {
  const { databasePath, names, restore } = await openScene(backend);
  await rm(databasePath);
  await writeFile(`${databasePath}-wal`, 'of a database that is gone');
  assert.equal((await restore()).replacedPath, undefined);
  assert.deepEqual(await names(), ['ann']);
});

onSqlite('what a killed gateway left in its log is put aside with it', async (backend) => {
  const { databasePath, names, restore } = await openScene(backend);
  await leaveLog(databasePath);
  const { replacedPath = '' } = await restore();
  assert.deepEqual(await names(), ['ann']);
  assert.deepEqual(await names(replacedPath), ['ann', 'carol']);
});

/** As after kill -9: bob was renamed, and only the log knows. */
async function leaveLog(path: string): Promise<void> {
  const db = new DatabaseSync(path);
  db.exec(`PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;
    UPDATE accounts SET display_name = 'carol' WHERE display_name = 'bob'`);
  const left = await Promise.all(['', '-wal'].map((ending) => readFile(path + ending)));
  db.close();
  for (const [index, ending] of ['', '-wal'].entries()) {
    await writeFile(path + ending, left[index] ?? '', { mode: 0o600 });
  }
}

onSqlite('a database in use is not replaced, even by an idle gateway', async (backend) => {
  const { backupPath, names, restore } = await openScene(backend);
  const store = await backend.open();
  await store.system.accounts.list();
  const before = await filesOf(backend);
  await assert.rejects(restore(), { code: 'store-in-use' });
  assert.deepEqual(await filesOf(backend), before);
  await createAccount(store, 'dora');
  await store.close();
  assert.deepEqual(await names(), ['ann', 'bob', 'dora']);
  assert.equal(checkBackup(backupPath).isSound, true);
});

onSqlite('a database in use by another process is not replaced', async (backend) => {
  const { databasePath, names, restore } = await openScene(backend);
  const child = spawn(process.execPath, [lockHolder, databasePath], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  await assert.rejects(restore(), { code: 'store-in-use' });
  child.stdin.end();
  await once(child, 'exit');
  assert.deepEqual(await names(), ['ann', 'bob']);
});

onSqlite('a bad backup is refused before anything is touched', async (backend) => {
  const { backupPath, names, restore } = await openScene(backend);
  const good = await readFile(backupPath);
  const refuse = async (code: string): Promise<void> => {
    const before = await filesOf(backend);
    await assert.rejects(restore(), { code });
    assert.deepEqual(await filesOf(backend), before);
  };
  await writeFile(backupPath, Buffer.concat([good.subarray(0, 8_192), Buffer.alloc(12_288, 0x5a)]));
  await refuse('backup-unsound');
  await writeFile(backupPath, 'not a database');
  await refuse('backup-unsound');
  await rm(backupPath);
  await refuse('backup-unsound');
  assert.throws(() => checkBackup(backupPath), /no such file.*backup\.db/, 'and it is named');
  await writeFile(backupPath, good);
  const db = new DatabaseSync(backupPath);
  db.exec(`INSERT INTO control_migrations SELECT 9999, 'later', 'h', 0`);
  await refuse('store-newer');
  db.exec(`DELETE FROM control_migrations WHERE version = 9999;
    UPDATE control_migrations SET hash = 'other' WHERE version = 2`);
  db.close();
  await refuse('migration-changed');
  assert.deepEqual(await names(), ['ann', 'bob']);
});

onSqlite('a database that is beyond repair is put aside as it is', async (backend) => {
  const { databasePath, names, restore } = await openScene(backend);
  await writeFile(databasePath, 'rubbish '.repeat(1_000));
  await writeFile(`${databasePath}-journal`, 'half of a journal');
  const { replacedPath = '' } = await restore();
  assert.deepEqual(await names(), ['ann']);
  assert.match(await readFile(replacedPath, 'utf8'), /^rubbish/);
});

onSqlite('a second name from an attempt that did not finish is cleared away', async (backend) => {
  const { databasePath, names, restore } = await openScene(backend);
  const unfinished = `${databasePath}.replaced-2020-01-01T00-00-00.000Z`;
  await link(databasePath, unfinished);
  const { replacedPath = '' } = await restore();
  assert.deepEqual(await names(replacedPath), ['ann', 'bob']);
  await assert.rejects(stat(unfinished), { code: 'ENOENT' });
});

onSqlite('killed at any step, a restore has happened or has not', async (backend, context) => {
  const { databasePath, backupPath, names } = await openScene(backend);
  await leaveLog(databasePath);
  const start = join(backend.directory, 'start');
  for (const ending of ['', '-wal']) await rename(databasePath + ending, start + ending);
  /** What is there after a kill at the n-th call of this name; `end` when there was no such call. */
  const tryAt = async (call: string, nth: number): Promise<string> => {
    for (const ending of ['', '-wal']) await copyFile(start + ending, databasePath + ending);
    const isDone = await restoreKilledAt(call, nth);
    const found = (await names()).join(' ');
    assert.deepEqual(checkBackup(databasePath).problems, []);
    for (const name of await readdir(backend.directory)) {
      if (name.startsWith('control.db')) await rm(join(backend.directory, name));
    }
    if (isDone) assert.equal(found, 'ann');
    return isDone ? 'end' : found;
  };
  const sweeps: Record<string, readonly string[]> = {};
  /* `rename` last: until its cache is filled, Node renames files of its own. */
  for (const call of ['unlink', 'fsync', 'link', 'rename']) {
    const sweep: string[] = [];
    while (sweep.at(-1) !== 'end') sweep.push(await tryAt(call, sweep.length + 1));
    sweeps[call] = sweep.slice(0, -1);
  }
  context.diagnostic(JSON.stringify(sweeps));
  /* All of the old one, its log included, until the rename; all of the new one at the only thing after it. */
  const { fsync = [], unlink = [], ...single } = sweeps;
  assert.deepEqual(single, { link: ['ann carol'], rename: ['ann carol'] });
  assert.ok(unlink.length > 1 && unlink.every((names) => names === 'ann carol'));
  assert.ok(fsync.length > 4 && fsync.slice(0, -1).every((names) => names === 'ann carol'));
  assert.equal(fsync.at(-1), 'ann');

  /** True when it came through. Only its first thread is counted, which does all but the copy. */
  async function restoreKilledAt(call: string, nth: number): Promise<boolean> {
    const options = ['-qq', '-o', '/dev/null', '-e', `trace=${call}`];
    const inject = ['-e', `inject=${call}:signal=KILL:when=${nth}`];
    const node = [process.execPath, '--conditions=@clawdfather/source', program];
    const args = [...options, ...inject, ...node, backupPath, databasePath];
    const child = spawn('/usr/bin/strace', args, {
      stdio: 'inherit',
      /* Compiling is most of what a start takes. */
      env: { ...process.env, NODE_COMPILE_CACHE: join(backend.directory, 'compiled') },
    });
    const [code, signal] = await once(child, 'exit');
    assert.ok(code === 0 || signal === 'SIGKILL', `strace: ${code}`);
    return code === 0;
  }
});

onSqlite(
  'nothing is taken from where another user could have put it, or left there',
  async (backend) => {
    const { directory, clock } = backend;
    const { databasePath, backupPath, names, restore } = await openScene(backend);
    await chmod(directory, 0o755);
    await chmod(backupPath, 0o666);
    const cure = { code: 'store-unsafe', hint: new RegExp(`chmod go-w ${backupPath}`) };
    await assert.rejects(restore(), cure);
    await chmod(backupPath, 0o600);
    const open = join(directory, 'open');
    await mkdir(open);
    await chmod(open, 0o777);
    const unsafe = { code: 'store-unsafe', hint: new RegExp(`chmod go-w ${open}`) };
    await copyFile(backupPath, join(open, 'backup.db'));
    const moved = { backupPath: join(open, 'backup.db'), databasePath };
    await assert.rejects(restoreBackup(moved, { clock }), unsafe);
    const store = await backend.open();
    await assert.rejects(store.backup(join(open, 'another.db')), unsafe);
    await store.close();
    assert.deepEqual(await readdir(open), ['backup.db']);
    assert.deepEqual(await names(), ['ann', 'bob'], 'the database is as it was');
  },
);
