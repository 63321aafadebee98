/*
 * Looks at the database's file with connections of its own: ours go on from their caches and from the log when the file under
 * them has become garbage.
 *
 * Only through SQLite: closing a descriptor that we opened ourselves would drop the locks that this process holds on the file.
 *
 * Stages: 1 the file has not become shorter · 2 a new connection sees the last beat and every table · 3 the file alone, without
 * the log, is a database · 4 now and then, all of a small one is checked page by page.
 *
 * While there is a log, the file alone may be half of what it will be: a full disk, or a crash, ends a checkpoint in the middle. Its
 * first page then speaks of pages that are only in the log. So in stage 3 only a file that is no database at all is damage.
 */
import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import type { Clock } from '@clawdfather/kit';
import { resultCodeOf, sqliteFailureOf } from '@clawdfather/sqlite';
import type { ReadBack } from '../engine.ts';
import { StoreError } from '../errors.ts';
import { deepCheckBytesMax, deepCheckMs, readBusyMs } from '../limits.ts';
import { storeErrorOfSqlite } from './failures.ts';

/* SQLITE_NOTADB. */
const notADatabase = 26;

export type LookAtFile = (expected: ReadBack) => void;

export function createLookAtFile(path: string, clock: Clock): LookAtFile {
  const opened = statOf(path);
  let bytesSeen = opened?.size ?? 0;
  let checkedAtMs = Number.NEGATIVE_INFINITY;

  return (expected) => {
    const now = statOf(path);
    // The file was removed or replaced, so the file under this name is not the one we write to.
    if (now === undefined || now.ino !== opened?.ino || now.dev !== opened.dev) return;
    if (now.size < bytesSeen) throw damaged('its file has become shorter');
    bytesSeen = now.size;
    const isDue = clock.monotonicMs() - checkedAtMs >= deepCheckMs;
    try {
      lookAnew(path, expected, isDue && now.size <= deepCheckBytesMax);
      if (isDue) checkedAtMs = clock.monotonicMs();
      lookWithoutLog(path);
    } catch (error) {
      throw storeErrorOfSqlite(error);
    }
  };
}

function lookAnew(path: string, { sql, beats }: ReadBack, isDeep: boolean): void {
  using db = opened(new DatabaseSync(path, { readOnly: true, timeout: readBusyMs }));
  const row = db.value.prepare(sql).get();
  if (Number(row?.['beats'] ?? 0) < beats) throw damaged('what was written is not in its file');
  if (!isDeep) return;
  const [finding] = Object.values(db.value.prepare('PRAGMA quick_check(1)').get() ?? {});
  if (finding !== 'ok') throw damaged(String(finding));
}

/* What was migrated since the last checkpoint is missing there, so nothing is asked but whether it is a database. */
function lookWithoutLog(path: string): void {
  const address = pathToFileURL(path);
  address.search = '?immutable=1';
  using db = opened(new DatabaseSync(address, { readOnly: true }));
  try {
    db.value.prepare('SELECT count(*) FROM sqlite_schema').get();
  } catch (error) {
    // Another process may be folding the log in at this moment.
    if (sqliteFailureOf(error) !== 'corrupt') return;
    if (resultCodeOf(error) === notADatabase || !hasLog(path)) throw error;
  }
}

function hasLog(path: string): boolean {
  return (statOf(`${path}-wal`)?.size ?? 0) > 0;
}

function opened(value: DatabaseSync): Disposable & { readonly value: DatabaseSync } {
  return { value, [Symbol.dispose]: () => value.close() };
}

function damaged(why: string): StoreError {
  return new StoreError('store-corrupt', `the control database is damaged: ${why}`, {
    hint: 'Restore a backup: `clawdfather restore`.',
  });
}

function statOf(path: string) {
  return statSync(path, { throwIfNoEntry: false });
}
