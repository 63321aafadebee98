/*
 * A consistent copy of the database while it is in use, and the check that a copy is one.
 *
 * SQLite's own backup runs in steps on a thread of its own, over a connection that was opened for it and holds one read
 * transaction throughout. That pins the state that is copied: a write through another connection would otherwise make it
 * start again, and over the writing connection a step that meets an open transaction fails.
 *
 * The copy appears under its name only when it is whole, checked and on disk.
 */
import { accessSync, constants } from 'node:fs';
import { open as openFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { hasCode } from '@clawdfather/kit';
import { StoreError } from '../errors.ts';
import { backupPagesPerStep, readBusyMs } from '../limits.ts';
import { masterKeysInUse, migration0008 } from '../migrations/0008-master-keys.ts';
import { compareMigrations, migrations } from '../migrations/migrate.ts';
import type { MigrationStatus } from '../migrations/migrate.ts';
import { openToRead } from './open-to-read.ts';
import { createPrivate, refuseUnsafe } from './private-file.ts';

export interface BackupReport {
  readonly isSound: boolean;
  /** What SQLite found, in its words; empty when sound. */
  readonly problems: readonly string[];
  readonly migrations: MigrationStatus;
  /** The master keys that its secrets need, by their ids; one of an older version knows those that wrap a secret. */
  readonly masterKeyIds: readonly string[];
}

/** `open`: how the source is opened; a command line that has no other connection to it may read it without writing. */
export async function backUp(source: string, path: string, open = openPinned): Promise<void> {
  const draft = `${path}.partial`;
  try {
    refuseUnsafe(draft);
    await rm(draft, { force: true });
    createPrivate(draft);
    await copySnapshot(open(source), draft);
    /* A copy is one file: without its own log beside it, it can be moved and compared. */
    const copy = new DatabaseSync(draft);
    copy.exec('PRAGMA journal_mode = DELETE');
    copy.close();
    const { problems } = checkBackup(draft);
    if (problems.length > 0) throw new Error(problems.join('; '));
    await syncPath(draft);
    await rename(draft, path);
    await syncPath(dirname(path));
  } catch (error) {
    // In an unsafe directory the file under this name may belong to another user, so it is not removed.
    if (hasCode(error, 'store-unsafe')) throw error;
    await rm(draft, { force: true });
    throw new StoreError('backup-failed', 'the backup could not be made', {
      cause: error,
      detail: { path },
    });
  }
}

function openPinned(source: string): DatabaseSync {
  return new DatabaseSync(source, { readOnly: true, timeout: readBusyMs });
}

async function copySnapshot(db: DatabaseSync, draft: string): Promise<void> {
  try {
    /* A transaction begins with its first read. */
    db.exec('BEGIN; SELECT count(*) FROM sqlite_schema');
    await backup(db, draft, { rate: backupPagesPerStep });
  } finally {
    db.close();
  }
}

/** Blocks for as long as reading the whole file takes: for a command line, not for a gateway at work. */
export function checkBackup(path: string): BackupReport {
  // SQLite says of a missing file only that it is unable to open it.
  accessSync(path, constants.R_OK);
  const db = openToRead(path);
  try {
    const integrity = db
      .prepare('PRAGMA integrity_check')
      .all()
      .map((row) => String(row['integrity_check']))
      .filter((text) => text !== 'ok');
    const dangling = db
      .prepare('PRAGMA foreign_key_check')
      .all()
      .map((row) => `${String(row['table'])} refers to a missing row`);
    const applied = db
      .prepare('SELECT version, hash FROM control_migrations ORDER BY version')
      .all()
      .map((row) => ({ version: Number(row['version']), hash: String(row['hash']) }));
    const problems = [...integrity, ...dangling];
    const status = compareMigrations(applied, migrations);
    const isKnown = status.state === 'current' || status.state === 'pending';
    const isSound = problems.length === 0 && isKnown;
    const masterKeyIds = isSound ? readMasterKeyIds(db, status) : [];
    return { isSound, problems, migrations: status, masterKeyIds };
  } finally {
    db.close();
  }
}

function readMasterKeyIds(db: DatabaseSync, { appliedVersion }: MigrationStatus): string[] {
  const isNoted = appliedVersion >= migration0008.version;
  const rows = db.prepare(isNoted ? 'SELECT id FROM master_keys' : masterKeysInUse).all();
  return rows.map((row) => String(row['id']));
}

async function syncPath(path: string): Promise<void> {
  const handle = await openFile(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
