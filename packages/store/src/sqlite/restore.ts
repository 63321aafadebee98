/*
 * Putting a backup in the place of the database, while no gateway runs.
 *
 * RS1 The backup is checked before anything is touched: no other user can have changed it, and it is sound. It stays where it
 *     is; a checked copy of it takes the database's place.
 * RS2 No other process has the database open. SQLite is asked for it exclusively, and it is held until the new one is in place, so a
 *     gateway that starts meanwhile waits and then finds the new one.
 * RS3 A log never meets another database, on which it would be replayed: the old one's is folded into it first. Where the old
 *     one is too damaged for that, its log is put aside together with it.
 * RS4 At every moment the name leads to a whole database, the old or the new one: the old gets a second name, then one rename
 *     takes the first. It is kept under the second.
 */
import {
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Clock } from '@clawdfather/kit';
import { refuseWithoutIndexRoom, sqliteFailureOf } from '@clawdfather/sqlite';
import { StoreError } from '../errors.ts';
import { readBusyMs } from '../limits.ts';
import { type MigrationStatus, refuseMisfit } from '../migrations/migrate.ts';
import { backUp, type BackupReport, checkBackup } from './backup.ts';
import { refuseUnsafe } from './private-file.ts';

export interface RestoreInput {
  readonly backupPath: string;
  readonly databasePath: string;
}

export interface RestoreReport {
  /** Where the database that was there before is now. */
  readonly replacedPath: string | undefined;
  /** `pending` ones run when the store is opened. */
  readonly migrations: MigrationStatus;
  /** What its secrets need; the keys are not part of a backup. */
  readonly masterKeyIds: readonly string[];
}

/** Blocks for as long as reading a whole backup takes: for a command line. */
export async function restoreBackup(
  { backupPath, databasePath }: RestoreInput,
  { clock }: { readonly clock: Clock },
): Promise<RestoreReport> {
  // It says who may sign in.
  refuseUnsafe(backupPath);
  const { migrations, masterKeyIds } = checkSound(backupPath);
  const path = existsSync(databasePath) ? realpathSync(databasePath) : databasePath;
  const draft = `${path}.restoring`;
  try {
    await backUp(backupPath, draft);
    checkSound(draft);
    const replacedPath = exchange(path, draft, asideNameOf(path, clock.wallMs()));
    return { replacedPath, migrations, masterKeyIds };
  } catch (error) {
    rmSync(draft, { force: true });
    if (error instanceof StoreError && error.code !== 'backup-failed') throw error;
    throw new StoreError('restore-failed', 'the backup could not be put in place', {
      // The copy is made by what makes backups, whose words are about another thing.
      cause: error instanceof StoreError ? error.cause : error,
      detail: { path },
      hint: 'The database is as it was.',
    });
  }
}

function exchange(path: string, draft: string, aside: string): string | undefined {
  using _held = holdAlone(path);
  const isThere = existsSync(path);
  if (isThere) {
    removeUnfinished(path);
    takeOwner(path, draft);
    linkSync(path, aside);
  }
  syncDirectoryOf(path);
  putLogAside(path, aside);
  syncDirectoryOf(path);
  renameSync(draft, path);
  syncDirectoryOf(path);
  return isThere ? aside : undefined;
}

/** RS1. */
function checkSound(path: string): BackupReport {
  const report = look(path);
  refuseMisfit(report.migrations);
  if (report.isSound) return report;
  throw unsound(path, report.problems[0]);
}

function look(path: string): BackupReport {
  try {
    return checkBackup(path);
  } catch (error) {
    throw unsound(path, error);
  }
}

function unsound(path: string, cause: unknown): StoreError {
  return new StoreError('backup-unsound', 'this is no backup, or a damaged one', {
    cause,
    detail: { path },
    hint: 'Nothing was changed. Use another one.',
  });
}

/** RS2 and RS3. Disposing lets go of it. */
function holdAlone(path: string): Disposable | undefined {
  if (!existsSync(path)) return undefined;
  try {
    foldLog(path);
    return holdExclusively(path);
  } catch (error) {
    const failure = sqliteFailureOf(error);
    if (failure === 'busy') throw inUse(path);
    if (failure !== 'corrupt' || isLocked(path)) throw error;
    /* Too damaged to be asked for its locks, and the kernel knows of none. */
    return undefined;
  }
}

/** Leaving the log needs the file for itself: SQLite refuses while any other connection is open, however idle. */
function foldLog(path: string): void {
  refuseWithoutIndexRoom(path);
  const db = new DatabaseSync(path, { timeout: readBusyMs });
  try {
    db.exec('PRAGMA journal_mode = DELETE');
  } finally {
    db.close();
  }
}

function holdExclusively(path: string): Disposable {
  const db = new DatabaseSync(path, { timeout: readBusyMs });
  try {
    db.exec('BEGIN EXCLUSIVE');
    /* Another process was quicker, and has a log again. */
    const [mode] = Object.values(db.prepare('PRAGMA journal_mode').get() ?? {});
    if (mode !== 'delete') throw inUse(path);
  } catch (error) {
    db.close();
    throw error;
  }
  return { [Symbol.dispose]: () => db.close() };
}

function inUse(path: string): StoreError {
  return new StoreError('store-in-use', 'a running process uses this database', {
    detail: { path },
    hint: 'Stop the gateway first.',
  });
}

/** By inode alone: some file systems show another device here than there, and refusing by mistake is harmless. */
function isLocked(path: string): boolean {
  const { ino } = statSync(path);
  const locks = readFileSync('/proc/locks', 'utf8');
  return locks.split('\n').some((line) => line.includes(`:${ino} `));
}

const asideMark = '.replaced-';

function asideNameOf(path: string, nowMs: number): string {
  return `${path}${asideMark}${new Date(nowMs).toISOString().replaceAll(':', '-')}`;
}

/** A second name of what is still in place, from an attempt that ended before its rename. */
function removeUnfinished(path: string): void {
  const { ino } = statSync(path);
  const [directory, prefix] = [dirname(path), `${basename(path)}${asideMark}`];
  for (const name of readdirSync(directory)) {
    const other = join(directory, name);
    if (name.startsWith(prefix) && statSync(other).ino === ino) rmSync(other);
  }
}

/** RS3: only what could not be folded in is still there. */
function putLogAside(path: string, aside: string): void {
  for (const ending of ['-wal', '-journal']) {
    if (existsSync(path + ending)) renameSync(path + ending, aside + ending);
  }
  rmSync(`${path}-shm`, { force: true });
}

/** A database that root restores belongs to the gateway's user again. */
function takeOwner(path: string, draft: string): void {
  const [old, fresh] = [statSync(path), statSync(draft)];
  if (old.uid !== fresh.uid || old.gid !== fresh.gid) chownSync(draft, old.uid, old.gid);
}

function syncDirectoryOf(path: string): void {
  const handle = openSync(dirname(path), 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
