/*
 * A database that is only looked at, also where SQLite cannot open it: on a disk that is full, has no inode left or is read-only, its
 * index cannot be made. Then its content is read into memory.
 *
 * For a process that has no other connection to it (packages/sqlite, read-snapshot.ts).
 */
import { DatabaseSync } from 'node:sqlite';
import { readSnapshot, refuseWithoutIndexRoom, sqliteFailureOf } from '@clawdfather/sqlite';
import { readBusyMs } from '../limits.ts';

/* What a disk that takes nothing makes of an opening. */
const unwritable: readonly unknown[] = ['full', 'io', 'closed'];

export function openToRead(path: string): DatabaseSync {
  try {
    return openInPlace(path);
  } catch (error) {
    if (!unwritable.includes(sqliteFailureOf(error))) throw error;
    const content = readSnapshot(path);
    if (content === undefined) throw error;
    return openInMemory(content);
  }
}

function openInPlace(path: string): DatabaseSync {
  refuseWithoutIndexRoom(path);
  const db = new DatabaseSync(path, { readOnly: true, timeout: readBusyMs });
  try {
    // Only the first read asks for the index.
    db.exec('SELECT count(*) FROM sqlite_schema');
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

function openInMemory(content: Buffer): DatabaseSync {
  const db = new DatabaseSync(':memory:');
  try {
    if (content.length > 0) db.deserialize(content);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}
