/*
 * A disk whose blocks are smaller than a page of memory, with room for some of the index and not for all of it: SQLite would be
 * ended by the kernel (SIGBUS) when it writes there.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { openSmallExt4, smallDiskSkip } from '@clawdfather/testkit';
import { sqliteFailureOf } from '../src/failures.ts';
import { refuseWithoutIndexRoom } from '../src/index-room.ts';

/* In a process of its own, which opens the database and asks it for something. */
function opensWell(file: string): boolean {
  const script = `
    const db = new (require('node:sqlite').DatabaseSync)(process.argv[1], { readOnly: true });
    db.prepare('SELECT count(*) FROM sqlite_schema').get();`;
  return spawnSync(process.execPath, ['-e', script, file]).status === 0;
}

test('no room for the index is told before the kernel ends the process for it', {
  skip: smallDiskSkip,
}, () => {
  using disk = openSmallExt4(8 * 1024 * 1024);
  const file = join(disk.path, 'a.db');
  refuseWithoutIndexRoom(file);
  const writer = new DatabaseSync(file);
  writer.exec('PRAGMA journal_mode = WAL; CREATE TABLE t (id)');
  disk.fillBut(16 * 1024);
  // Its index is there, and is used as it is.
  refuseWithoutIndexRoom(file);
  assert.ok(opensWell(file));
  rmSync(`${file}-shm`);
  assert.throws(
    () => refuseWithoutIndexRoom(file),
    (error) => sqliteFailureOf(error) === 'full',
  );
  assert.ok(!opensWell(file), 'the kernel would have ended us');
  disk.relieve();
  refuseWithoutIndexRoom(file);
  assert.ok(opensWell(file));
  writer.close();
});
