/*
 * A disk that takes nothing: full, without inodes, or read-only. Runs are listed, read, waited for and ended all the same (J4,
 * O4), what can be deleted is deleted, and afterwards everything is as it should be.
 */
import assert from 'node:assert/strict';
import { closeSync, existsSync, openSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { smallDiskSkip } from '@clawdfather/testkit';
import { createCliRig } from '../support/cli-process.ts';
import {
  createDiskRig,
  type DiskRig,
  freeBytes,
  isFull,
  onDisk,
  sizeBytes,
} from '../support/disk-rig.ts';
import { createGatewayRig } from '../support/gateway-rig.ts';

/* A run that writes until there is no room, and one that ended before. */
async function fillByRun(
  rig: DiskRig,
): Promise<{ readonly filler: string; readonly done: string }> {
  const done = (await rig.clf('run', '-d', '--', 'echo', 'short')).stdout.trim();
  await rig.clf('wait', done);
  const line = 'echo begin; exec cat /dev/zero';
  const filler = (await rig.clf('run', '-d', '--', 'sh', '-c', line)).stdout.trim();
  // It stands still as soon as it sees less left than it has written (J4), at the latest when we have taken the rest.
  while (freeBytes(rig) > sizeBytes(rig) / 2 || !isFull(rig)) await sleep(5);
  return { filler, done };
}

interface RunJson {
  readonly id: string;
  readonly state: string;
  readonly stalled: string | null;
  readonly exit: {
    readonly reason: string;
    readonly signal: string | null;
    readonly actor: string;
  } | null;
}

async function runsOf(rig: Pick<DiskRig, 'clf'>): Promise<Map<string, RunJson>> {
  const { stdout, stderr } = await rig.clf('ps', '-a', '--json');
  const records = stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as RunJson);
  assert.ok(records.length > 0, stderr);
  return new Map(records.map((record) => [record.id, record]));
}

test('J4 O4: on a full disk the run that filled it is listed, read, ended and removed, and then all is normal', {
  skip: smallDiskSkip,
  timeout: 120_000,
}, async (context) => {
  const rig = createDiskRig(context);
  const { filler, done } = await fillByRun(rig);

  const listed = await rig.clf('ps');
  assert.equal(listed.code, 0, listed.stderr);
  assert.match(listed.stdout, new RegExp(`^${filler.slice(0, 12)} +stalled: disk full `, 'm'));
  assert.equal((await runsOf(rig)).get(filler)?.stalled, 'disk-full');
  assert.equal((await runsOf(rig)).get(done)?.stalled, null);
  assert.ok(
    listed.stderr.includes(
      `nothing can be written to ${rig.stateDir}: the disk is full (clf-test mounted at ${rig.disk.path}, 0 of 6144 KiB`,
    ),
    listed.stderr,
  );
  const named = `Make space: clf kill RUN, clf rm -f RUN \\(${filler.slice(0, 12)} holds `;
  assert.match(listed.stderr, new RegExp(named), 'gc would remove nothing');
  assert.match((await rig.clf('approvals')).stderr, /: the disk is full \(clf-test mounted at /);
  assert.equal((await rig.clf('logs', done)).stdout, 'short\n');
  assert.match((await rig.clf('logs', '--tail', '1', filler)).stderr, /warning/);
  const top = (await rig.clf('top', '--once')).stdout;
  assert.match(top, new RegExp(`^${filler.slice(0, 12)} +stalled: disk full `, 'm'));
  const doctor = (await rig.clf('doctor')).stdout;
  assert.match(
    doctor,
    new RegExp(`cannot be kept: ${filler.slice(0, 12)} \\(stalled: disk full\\)`),
  );
  assert.equal((await rig.clf('wait', done)).code, 0);
  const refused = await rig.clf('run', '--', 'true');
  assert.equal(refused.code, 125);
  assert.match(refused.stderr, /nothing can be written to .*: the disk is full/);

  const killed = await rig.clf('kill', filler);
  assert.match(killed.stdout, new RegExp(`^${filler} `), killed.stderr);
  const waited = await rig.clf('wait', filler);
  assert.equal(waited.code, 143, waited.stderr);
  const before = (await runsOf(rig)).get(filler);
  assert.deepEqual([before?.state, before?.exit?.reason], ['exited', 'manual-cancel']);

  // What the run had set aside for its end is given back; that goes too.
  rig.disk.fill();
  const removed = await rig.clf('rm', filler);
  assert.match(removed.stderr, /the disk is full/);
  assert.equal(removed.stdout, `${filler}\n`, removed.stderr);
  assert.ok(!existsSync(join(rig.stateDir, 'runs', filler)));
  const normal = await rig.clf('ps', '-a', '-q');
  assert.deepEqual([normal.stdout, normal.stderr], [`${done}\n`, '']);
  assert.deepEqual(readdirSync(join(rig.stateDir, 'trash')), []);
  assert.equal((await rig.clf('run', '--', 'echo', 'again')).stdout, 'again\n');
});

test('J4: what ended on a full disk has its cause and its actor on record once there is room', {
  skip: smallDiskSkip,
  timeout: 120_000,
}, async (context) => {
  const rig = createDiskRig(context);
  const { filler } = await fillByRun(rig);
  await rig.clf('kill', filler);
  rig.disk.relieve();
  const { stderr } = await rig.clf('ps');
  assert.equal(stderr, '');
  const { state, exit } = (await runsOf(rig)).get(filler) ?? {};
  assert.deepEqual([state, exit?.reason, exit?.signal], ['exited', 'manual-cancel', 'SIGTERM']);
  assert.match(exit?.actor ?? '', /^cli:\S+ \(pid \d+\)$/);
});

test('a run that is removed while its row cannot be deleted is forgotten by the next that can write', {
  skip: smallDiskSkip,
  timeout: 120_000,
}, async (context) => {
  const rig = createDiskRig(context);
  const live = (await rig.clf('run', '-d', '--', 'sleep', '1000')).stdout.trim();
  const done = (await rig.clf('run', '-d', '--', 'true')).stdout.trim();
  await rig.clf('wait', done);
  rig.disk.fill();
  // What is open keeps its room when it is unlinked: none is given back, and there is room for no row.
  const kept = holdFiles(join(rig.stateDir, 'runs', live));
  try {
    assert.equal((await rig.clf('rm', '-f', live)).stdout, `${live}\n`);
    assert.equal(freeBytes(rig), 0);
  } finally {
    for (const file of kept) closeSync(file);
  }
  const [trash = ''] = readdirSync(join(rig.stateDir, 'trash'));
  assert.ok(trash.startsWith(`${live}.`), 'the emptied directory is the note');
  assert.deepEqual(readdirSync(join(rig.stateDir, 'trash', trash)), []);
  rig.disk.relieve();
  assert.equal((await rig.clf('ps', '-a', '-q')).stdout, `${done}\n`);
  await rig.clf('gc');
  assert.deepEqual(readdirSync(join(rig.stateDir, 'trash')), []);
});

/* Opens all that is in it and can be opened. */
function holdFiles(directory: string): readonly number[] {
  return readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => openSync(join(directory, name), 'r'));
}

test('gc frees a full disk by its policy', {
  skip: smallDiskSkip,
  timeout: 120_000,
}, async (context) => {
  const rig = createDiskRig(context);
  const old = (
    await rig.clf('run', '-d', '--', 'head', '-c', '2000000', '/dev/zero')
  ).stdout.trim();
  await rig.clf('wait', old);
  rig.disk.fill();
  const collected = await rig.clf('gc', '--keep', '0');
  assert.match(
    collected.stdout,
    /remove .*newer runs fill the count\nRemoved 1 run/,
    collected.stderr,
  );
  assert.equal((await rig.clf('run', '--', 'echo', 'again')).stdout, 'again\n');
  assert.deepEqual(readdirSync(join(rig.stateDir, 'trash')), []);
});

test('without an inode runs are listed, read, ended and removed', {
  skip: smallDiskSkip,
  timeout: 120_000,
}, async (context) => {
  const rig = createDiskRig(context, 'size=6m,nr_inodes=60');
  const live = (
    await rig.clf('run', '-d', '--', 'sh', '-c', 'echo here; exec sleep 1000')
  ).stdout.trim();
  rig.disk.useInodes();
  const listed = await rig.clf('ps', '-q');
  assert.equal(listed.stdout, `${live}\n`, listed.stderr);
  assert.match(listed.stderr, /the disk has no inode left \(.* and 0 inodes are free\)/);
  assert.equal((await rig.clf('logs', live)).stdout, 'here\n');
  const refused = await rig.clf('run', '--', 'true');
  assert.equal(refused.code, 125);
  assert.match(refused.stderr, /the disk has no inode left .*\n(.*\n)*  \(registry-full\)/);
  assert.match((await rig.clf('doctor')).stdout, /FAIL {2}disk: .* but only 0 inodes/);
  assert.match((await rig.clf('kill', live)).stdout, new RegExp(`^${live} `));
  assert.equal((await rig.clf('rm', live)).stdout, `${live}\n`);
  assert.equal((await rig.clf('ps', '-a', '-q')).stdout, '');
});

test('on a read-only disk runs are listed, read and ended; what deletes says why it cannot', {
  skip: smallDiskSkip,
  timeout: 120_000,
}, async (context) => {
  const rig = createDiskRig(context);
  const live = (
    await rig.clf('run', '-d', '--', 'sh', '-c', 'echo here; exec sleep 1000')
  ).stdout.trim();
  const done = (await rig.clf('run', '-d', '--', 'true')).stdout.trim();
  await rig.clf('wait', done);
  rig.disk.makeReadOnly();
  const listed = await rig.clf('ps', '-q');
  assert.equal(listed.stdout, `${live}\n`, listed.stderr);
  assert.match(listed.stderr, /the disk is read-only \(clf-test mounted at /);
  assert.equal((await rig.clf('logs', live)).stdout, 'here\n');
  const removed = await rig.clf('rm', done);
  assert.equal(removed.code, 125);
  assert.equal(removed.stdout, '', 'what is still there is not called removed');
  assert.match(removed.stderr, /nothing can be written to .*read-only/);
  assert.equal(removed.stderr.split('(registry-failed)').length, 2, 'told once');
  assert.match((await rig.clf('kill', live)).stdout, new RegExp(`^${live} `));
  rig.disk.relieve();
  const exit = (await runsOf(rig)).get(live)?.exit;
  assert.deepEqual([exit?.reason, exit?.signal], ['manual-cancel', 'SIGTERM']);
});

test('with a gateway on a full disk: its runs are shown as stalled, and ended from the command line and over the API', {
  skip: smallDiskSkip,
  timeout: 120_000,
}, async (context) => {
  const gateways = createGatewayRig(context);
  const rig = onDisk(context, gateways, 'size=24m');
  const { url } = await rig.serve();
  await rig.clf('login');
  const start = async (line: string): Promise<string> =>
    (await rig.clf('run', '-d', '-g', url, '--', 'sh', '-c', line)).stdout.trim();
  const quiet = await start('exec sleep 1000');
  const [one, other] = [await start('exec cat /dev/zero'), await start('exec cat /dev/zero')];
  const stalled = async (): Promise<string[]> =>
    (await rig.clf('ps', '-g', url, '--json')).stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as { id: string; stalled: string | null })
      .flatMap((run) => (run.stalled === 'disk-full' ? [run.id] : []));
  /*
   * That nothing was free for a moment is not enough: who tries to set room aside gives it back when it was too little, and a
   * database whose write found no room keeps what it had got of it, so that its next small one fits. It is full when the gateway finds it full.
   */
  const isFullForAll = async (): Promise<boolean> =>
    isFull(rig) && (await fetch(new URL('/readyz', url))).status === 503 && freeBytes(rig) === 0;
  while ((await stalled()).length < 2 || !(await isFullForAll())) await sleep(5);
  assert.deepEqual((await stalled()).toSorted(), [one, other].toSorted());
  assert.match((await rig.clf('ps', '-g', url)).stdout, /^\w+ .*stalled: disk full /m);
  assert.match((await rig.clf('show', '-g', url, one)).stdout, /^state +stalled: disk full$/m);

  const refused = await rig.clf('run', '-g', url, '--', 'true');
  assert.equal(refused.code, 125);
  assert.doesNotMatch(refused.stderr, /connection lost/);
  assert.match(refused.stderr, /room|nothing can be written/);
  assert.match((await rig.clf('status')).stdout, /^disk +the disk is full \(clf-test mounted at /m);
  const doctor = (await rig.clf('doctor')).stdout;
  assert.match(doctor, /is not ready: the disk is full .*\n.*\n?.*A start would be refused now/);
  assert.match(
    (await rig.clf('login', '--link')).stderr,
    /the disk is full \(clf-test mounted at /,
  );
  assert.deepEqual(readdirSync(join(rig.stateDir, 'login-links')), [], 'nothing half made');
  const backup = await rig.clf('backup', join(rig.disk.path, 'copy.db'));
  assert.match(
    backup.stderr,
    /copy\.db cannot be written: the disk is full \(clf-test mounted at /,
  );

  const overApi = await rig.clf('kill', '-g', url, one);
  assert.match(overApi.stdout, new RegExp(`^${one} cancelled`), overApi.stderr);
  isFull(rig);
  const direct = await rig.clf('kill', other, quiet);
  assert.match(direct.stdout, new RegExp(`^${other} .*\n${quiet} `), direct.stderr);
  isFull(rig);
  assert.equal((await rig.clf('rm', other)).stdout, `${other}\n`);

  rig.disk.relieve();
  while ((await rig.clf('ps', '-g', url, '-q')).stdout !== '') await sleep(5);
  const records = await runsOf(rig);
  assert.deepEqual(
    [records.get(one)?.exit?.reason, records.get(quiet)?.exit?.reason, records.has(other)],
    ['manual-cancel', 'manual-cancel', false],
  );
});

/* A command that has said its last to a disk without room. */
async function endOnFullDisk(rig: DiskRig): Promise<string> {
  const line = 'read -r line; seq 1 10000; exit 3';
  const run = (await rig.clf('run', '-d', '-i', '--', 'sh', '-c', line)).stdout.trim();
  rig.disk.fill();
  await rig.clf('input', run, 'go\n');
  const shown = async (): Promise<string> => (await rig.clf('show', run)).stdout;
  while (!/^processes +0$/m.test(await shown())) await sleep(5);
  assert.match(await shown(), /^state +stalled: disk full$/m);
  assert.match(await shown(), /^waits +its command has ended; what it said last waits for room$/m);
  return run;
}

test('J4: what a command said before it ended on a full disk is all there once there is room', {
  skip: smallDiskSkip,
  timeout: 120_000,
}, async (context) => {
  const rig = createDiskRig(context);
  const run = await endOnFullDisk(rig);
  rig.disk.relieve();
  assert.equal((await rig.clf('wait', run)).code, 3);
  const logs = await rig.clf('logs', run);
  assert.deepEqual([logs.code, logs.stdout.endsWith('\n9999\n10000\n')], [0, true]);
});

test('J4: who ends such a run instead is told by every command that what it said last is lost', {
  skip: smallDiskSkip,
  timeout: 120_000,
}, async (context) => {
  const rig = createDiskRig(context);
  const run = await endOnFullDisk(rig);
  await rig.clf('kill', run);
  rig.disk.relieve();
  const lost = /the last 48K of its output were never saved: the disk did not take them/;
  assert.match((await rig.clf('ps', '-a')).stdout, / exit 3, output lost /);
  assert.match((await rig.clf('show', run)).stdout, lost);
  const waited = await rig.clf('wait', run);
  assert.equal(waited.code, 3);
  assert.match(waited.stderr, lost);
  const logs = await rig.clf('logs', run);
  assert.deepEqual([logs.code, logs.stdout], [1, '']);
  assert.match(logs.stderr, lost);
  assert.match(
    (await rig.clf('logs', '--json', run)).stdout,
    /"type":"unsaved","missedBytes":48894/,
  );
  const doctor = (await rig.clf('doctor')).stdout;
  assert.match(doctor, new RegExp(`disk did not take it: ${run.slice(0, 12)} \\(48K\\)`));
});

test('ps says when there are runs and no record of them', async (context) => {
  const rig = createCliRig(context);
  const live = (await rig.clf('run', '-d', '--', 'sleep', '1000')).stdout.trim();
  for (const end of ['', '-wal', '-shm'])
    rmSync(`${rig.stateDir}/registry.db${end}`, { force: true });
  assert.match(
    (await rig.clf('ps')).stdout,
    /^No run is on record, but there is 1 directory of a run\. .*--rebuild\n$/,
  );
  await rig.clf('doctor', '--rebuild');
  assert.equal((await rig.clf('ps', '-q')).stdout, `${live}\n`);
  await rig.clf('rm', '-f', live);
});

test('a registry is rebuilt beside the old one: on a full disk the old one stays, and runs can be listed and ended', {
  skip: smallDiskSkip,
  timeout: 120_000,
}, async (context) => {
  const rig = createDiskRig(context);
  const live = (await rig.clf('run', '-d', '--', 'sleep', '1000')).stdout.trim();
  const before = readdirSync(rig.stateDir);
  rig.disk.fill();
  const refused = await rig.clf('doctor', '--rebuild');
  assert.equal(refused.code, 1);
  assert.match(refused.stdout, /FAIL {2}rebuild: nothing can be written to .*: the disk is full/);
  assert.deepEqual(readdirSync(rig.stateDir).toSorted(), before.toSorted());
  assert.equal((await rig.clf('ps', '-q')).stdout, `${live}\n`);
  rig.disk.relieve();
  const rebuilt = (await rig.clf('doctor', '--rebuild')).stdout;
  assert.match(rebuilt, /rebuild: the registry has 1 run .* the old one is /);
  assert.equal((await rig.clf('ps', '-q')).stdout, `${live}\n`);
});
