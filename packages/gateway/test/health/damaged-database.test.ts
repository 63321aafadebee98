/*
 * A control database that is damaged, or whose disk is full, under a living gateway: /health and /readyz say so, although the caches of
 * the open connections still answer; and say that all is well again when it is.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  closeSync,
  mkdirSync,
  openSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { createSystemClock } from '@clawdfather/kit';
import { jsonOf } from '../fixtures/api-client.ts';
import { openTestGateway, type TestGateway } from '../fixtures/open-test-gateway.ts';
import { makeTemporary } from '../fixtures/temporary.ts';

const clock = createSystemClock();
/* Many times the second for which an answer is good. */
const triesMax = 400;

function pathOf({ config: { database } }: TestGateway): string {
  assert.ok(database.kind === 'sqlite');
  return database.path;
}

/* Both, once they have looked again: an answer is good for a second. */
async function untilStatus(rig: TestGateway, status: number) {
  for (let tries = 0; tries < triesMax; tries += 1) {
    const [health, ready] = await Promise.all([
      fetch(new URL('/health', rig.url)),
      fetch(new URL('/readyz', rig.url)),
    ]);
    const answers = { health: await jsonOf(health), ready: await jsonOf(ready) };
    if (health.status === status && ready.status === status) return answers;
    await clock.sleep(50);
  }
  return assert.fail(`they never say ${status}`);
}

function overwrite(path: string): void {
  const bytes = Buffer.alloc(statSync(path).size, 0x5a);
  const fd = openSync(path, 'r+');
  writeSync(fd, bytes, 0, bytes.length, 0);
  closeSync(fd);
}

const harms: Readonly<Record<string, (path: string) => void>> = {
  'overwritten with garbage': overwrite,
  'cut off': (path) => truncateSync(path, 4096),
  emptied: (path) => truncateSync(path, 0),
  'without one of its tables': (path) => {
    const db = new DatabaseSync(path, { timeout: 5_000 });
    db.exec('PRAGMA foreign_keys = OFF; DROP TABLE turn_events');
    db.close();
  },
};

for (const [name, harm] of Object.entries(harms)) {
  test(`a database file that is ${name} under a living gateway is unhealthy and not ready`, async () => {
    await using rig = await openTestGateway();
    await untilStatus(rig, 200);
    // Whatever is in the log goes into the file, as it does sooner or later.
    const db = new DatabaseSync(pathOf(rig), { timeout: 5_000 });
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    db.close();
    harm(pathOf(rig));
    const { health, ready } = await untilStatus(rig, 503);
    assert.deepEqual([health.status, health.checks.db.status], ['unhealthy', 'unhealthy']);
    assert.deepEqual([ready.status, ready.database], ['not_ready', 'damaged']);
  });
}

const isRoot = process.getuid?.() === 0;

test('a database on a full disk is unhealthy and not ready, and well again when there is room', {
  skip: !isRoot && 'mounting needs root',
}, async () => {
  await using directory = await makeTemporary();
  const disk = join(directory.path, 'disk');
  mkdirSync(disk);
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', disk]);
  try {
    await using rig = await openTestGateway({
      config: { database: { kind: 'sqlite', path: join(disk, 'control.db') } },
    });
    await untilStatus(rig, 200);
    const filler = join(disk, 'fill');
    try {
      writeFileSync(filler, Buffer.alloc(8 * 1024 ** 2));
    } catch {
      // It is full, as it should be.
    }
    const full = await untilStatus(rig, 503);
    assert.equal(full.ready.database, 'unwritable');
    rmSync(filler);
    await untilStatus(rig, 200);
  } finally {
    execFileSync('umount', [disk]);
  }
});

test('being asked often writes little', async () => {
  await using rig = await openTestGateway();
  const beats = (): number => {
    const db = new DatabaseSync(pathOf(rig), { readOnly: true });
    try {
      return Number(db.prepare('SELECT beats FROM health_beats').get()?.['beats'] ?? 0);
    } finally {
      db.close();
    }
  };
  await untilStatus(rig, 200);
  const before = beats();
  const sinceMs = clock.monotonicMs();
  for (let count = 0; count < 50; count += 1) await untilStatus(rig, 200);
  const seconds = (clock.monotonicMs() - sinceMs) / 1000;
  assert.ok(beats() - before <= seconds + 1, `${beats() - before} writes in ${seconds} s`);
});
