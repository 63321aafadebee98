/*
 * When the gateway is ok, degraded and unhealthy, and what finding that out costs.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { createSystemClock } from '@clawdfather/kit';
import { createFakeClock } from '@clawdfather/testkit';
import {
  checkFilesystem,
  countSockets,
  removeHealthFiles,
} from '../../src/health/check-filesystem.ts';
import {
  type CheckHealth,
  createCheckHealth,
  type HealthDeps,
} from '../../src/health/check-health.ts';
import { makeTemporary, type Temporary } from '../fixtures/temporary.ts';
import { type Line, recordingLog } from '../fixtures/recording-log.ts';

const current = { state: 'current', appliedVersion: 1, newestVersion: 1 } as const;
const up = { isReady: true, database: 'up', migrations: current, latencyMs: 2 } as const;
const down = { isReady: false, database: 'down', migrations: undefined, latencyMs: 1 } as const;

type Readiness = Awaited<ReturnType<HealthDeps['store']['readiness']>>;

interface Rig extends AsyncDisposable {
  readonly check: CheckHealth;
  readonly stateDir: string;
  readonly lines: Line[];
  readonly clock: HealthDeps['clock'];
  readiness: () => Promise<Readiness>;
  asked: number;
  lagSeconds: number;
}

async function openRig(clock: HealthDeps['clock'] = createSystemClock()): Promise<Rig> {
  const directory: Temporary = await makeTemporary();
  const stateDir = directory.path;
  await mkdir(join(stateDir, 'runs'));
  const lines: Line[] = [];
  const rig: Rig = {
    check: () => check(),
    stateDir,
    lines,
    clock,
    readiness: () => Promise.resolve(up),
    asked: 0,
    lagSeconds: 0,
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
  const store = {
    readiness: () => {
      rig.asked += 1;
      return rig.readiness();
    },
    system: { leases: { count: () => Promise.resolve(3) } },
  } as unknown as HealthDeps['store'];
  const lag = { read: () => ({ median: 0, p99: rig.lagSeconds, max: rig.lagSeconds }) };
  const check = createCheckHealth({
    clock,
    log: recordingLog(lines),
    store,
    stateDir,
    socketsDir: undefined,
    lag,
  });
  return rig;
}

test('everything good is ok, and the test files are gone', async () => {
  await using rig = await openRig();
  const health = await rig.check();
  assert.deepEqual([health.status, health.reasons], ['ok', []]);
  assert.deepEqual(
    [health.db.status, health.db.latencyMs, health.filesystem.isWritable, health.activeSessions],
    ['ok', 2, true, 3],
  );
  assert.ok((health.filesystem.freeBytes ?? 0) > 0);
  assert.deepEqual(await readdir(rig.stateDir), ['runs']);
  assert.deepEqual(await readdir(join(rig.stateDir, 'runs')), []);
  assert.deepEqual(rig.lines, []);
});

test('a database that is down is unhealthy, a slow one degraded', async () => {
  const clock = createFakeClock();
  await using rig = await openRig(clock);
  rig.readiness = () => Promise.resolve(down);
  const bad = await rig.check();
  assert.deepEqual(
    [bad.status, bad.reasons, bad.db.status, bad.activeSessions],
    ['unhealthy', ['database-down'], 'unhealthy', undefined],
  );
  await clock.advance(1001);
  rig.readiness = () => Promise.resolve({ ...up, latencyMs: 1500 });
  const slow = await rig.check();
  assert.deepEqual([slow.status, slow.reasons], ['degraded', ['database-slow']]);
  assert.deepEqual(
    rig.lines.map(([level, name, { from, to }]) => [level, name, from, to]),
    [
      ['error', 'health.changed', 'ok', 'unhealthy'],
      ['warn', 'health.changed', 'unhealthy', 'degraded'],
    ],
  );
});

test('a database that does not answer is unhealthy after 5 s, and is not asked again meanwhile', async () => {
  const clock = createFakeClock();
  await using rig = await openRig(clock);
  rig.readiness = () => new Promise(() => {});
  const answers = Promise.all([rig.check(), rig.check(), rig.check()]);
  await clock.advance(5_000);
  for (const { status, db } of await answers) {
    assert.deepEqual([status, db.status, db.latencyMs], ['unhealthy', 'unhealthy', 5000]);
  }
  assert.equal(rig.asked, 1);
});

test('an answer is good for a second, however often it is asked for', async () => {
  const clock = createFakeClock();
  await using rig = await openRig(clock);
  for (let i = 0; i < 100; i += 1) await rig.check();
  assert.equal(rig.asked, 1);
  await clock.advance(999);
  await rig.check();
  assert.equal(rig.asked, 1);
  await clock.advance(1);
  await Promise.all(Array.from({ length: 100 }, () => rig.check()));
  assert.equal(rig.asked, 2);
});

test('an event loop that is late is degraded', async () => {
  await using rig = await openRig();
  rig.lagSeconds = 0.3;
  assert.deepEqual((await rig.check()).reasons, ['event-loop-late']);
});

test('a directory that cannot be written to is degraded', async () => {
  await using rig = await openRig();
  await rm(join(rig.stateDir, 'runs'), { recursive: true });
  const { status, filesystem, reasons } = await rig.check();
  assert.deepEqual(
    [status, filesystem.status, filesystem.isWritable, reasons],
    ['degraded', 'degraded', false, ['disk-not-writable']],
  );
});

const isRoot = process.getuid?.() === 0;

test('a disk with less than 500 MB left is degraded, and a full one does not take our file', {
  skip: !isRoot && 'mounting needs root',
}, async () => {
  await using rig = await openRig();
  const disk = join(rig.stateDir, 'runs');
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', disk]);
  try {
    const { status, reasons, filesystem } = await rig.check();
    assert.deepEqual([status, reasons], ['degraded', ['disk-nearly-full']]);
    assert.ok((filesystem.freeBytes ?? 0) <= 1_048_576);
    await writeFile(join(disk, 'fill'), Buffer.alloc(2_097_152)).catch(() => {});
    assert.equal((await checkFilesystem([disk])).isWritable, false);
    assert.deepEqual(await readdir(disk), ['fill'], 'trying leaves nothing');
  } finally {
    execFileSync('umount', [disk]);
  }
});

test('files that earlier checks have left are taken away', async () => {
  await using directory = await makeTemporary();
  const directories = [directory.path, join(directory.path, 'runs')];
  await mkdir(join(directory.path, 'runs'));
  for (const one of directories) await writeFile(join(one, '.health-1'), '');
  removeHealthFiles([...directories, join(directory.path, 'missing')]);
  assert.deepEqual(await readdir(directory.path, { recursive: true }), ['runs']);
});

test('ControlMaster sockets are counted; no directory yet is none', async () => {
  await using directory = await makeTemporary();
  const sockets = join(directory.path, 'ssh');
  assert.equal(await countSockets(sockets), 0);
  await mkdir(sockets);
  for (const master of ['a', 'b', 'c']) await mkdir(join(sockets, master));
  for (const name of ['a/m', 'b/m', 'c/config']) await writeFile(join(sockets, name), '');
  assert.equal(await countSockets(sockets), 2);
});
