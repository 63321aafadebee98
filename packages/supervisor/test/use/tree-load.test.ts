/*
 * What a tree uses, from one scan: real processes for the scan, made ones for the sums.
 */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { readJournalExtent } from '../../src/use/journal-length.ts';
import { parseSample, readPageBytes, scanProcesses } from '../../src/use/scan-processes.ts';
import { loadOfTree } from '../../src/use/tree-load.ts';

interface FakeProcess {
  readonly pid: number;
  readonly parentPid: number;
  readonly own?: number;
  readonly reaped?: number;
  readonly isZombie?: boolean;
  readonly isStopped?: boolean;
}

const scanOf = (processes: readonly FakeProcess[]) => ({
  of: (pid: number) => {
    const found = processes.find((one) => one.pid === pid);
    if (found === undefined) return undefined;
    const { parentPid, own = 0, reaped = 0, isZombie = false, isStopped = false } = found;
    return {
      parentPid,
      startTicks: pid,
      ownTicks: own,
      childTicks: reaped,
      rssPages: 10,
      isZombie,
      isStopped,
    };
  },
  childrenOf: (pid: number) =>
    processes.filter(({ parentPid }) => parentPid === pid).map((one) => one.pid),
});

const run = { shimPid: 10, shimStartTicks: 10, pid: 11, startTicks: 11 };

test('everything below the shim counts, orphans too, and zombies hold no memory', () => {
  const load = loadOfTree(
    scanOf([
      { pid: 10, parentPid: 1, own: 99, reaped: 5 },
      { pid: 11, parentPid: 10, own: 1, reaped: 2 },
      { pid: 12, parentPid: 11, own: 10 },
      { pid: 13, parentPid: 10, own: 20 },
      { pid: 14, parentPid: 11, own: 40, isZombie: true },
      { pid: 20, parentPid: 1, own: 1_000 },
    ]),
    run,
  );
  assert.deepEqual(load, {
    cpuTicks: 78,
    rssPages: 30,
    processes: 3,
    hasRoot: true,
    isRootStopped: false,
  });
});

test('a run is stopped when its command is, whatever became of the others', () => {
  const isStopped = (root: boolean, other: boolean) =>
    loadOfTree(
      scanOf([
        { pid: 10, parentPid: 1 },
        { pid: 11, parentPid: 10, isStopped: root },
        { pid: 12, parentPid: 11, isStopped: other },
      ]),
      run,
    )?.isRootStopped;
  assert.equal(isStopped(true, false), true);
  assert.equal(isStopped(false, true), false);
});

test('a child that ends takes no time away', () => {
  const before = loadOfTree(
    scanOf([
      { pid: 10, parentPid: 1 },
      { pid: 11, parentPid: 10, own: 1 },
      { pid: 12, parentPid: 11, own: 10 },
    ]),
    run,
  );
  const after = loadOfTree(
    scanOf([
      { pid: 10, parentPid: 1 },
      { pid: 11, parentPid: 10, own: 1, reaped: 10 },
    ]),
    run,
  );
  assert.equal(after?.cpuTicks, before?.cpuTicks);
});

test('a shim that is gone, or whose number is another’s, has no tree', () => {
  assert.equal(loadOfTree(scanOf([]), run), undefined);
  const other = { ...run, shimStartTicks: 9 };
  assert.equal(loadOfTree(scanOf([{ pid: 10, parentPid: 1 }]), other), undefined);
  const rootGone = loadOfTree(scanOf([{ pid: 10, parentPid: 1 }]), run);
  assert.equal(rootGone?.hasRoot, false);
});

test('this process is found, with its parent and its memory', () => {
  const scan = scanProcesses();
  const own = scan.of(process.pid);
  assert.equal(own?.parentPid, process.ppid);
  assert.ok(scan.childrenOf(process.ppid).includes(process.pid));
  const rssBytes = (own?.rssPages ?? 0) * readPageBytes();
  assert.ok(rssBytes > 2 ** 20, 'more than a megabyte');
});

test('a name with parentheses and spaces, and a line that is no stat', () => {
  const stat = `9 (a) R 1 (b) S 7 ${'0 '.repeat(9)}1 2 3 4 0 0 1 0 4242 0 77 0`;
  assert.deepEqual(parseSample(stat), {
    parentPid: 7,
    startTicks: 4_242,
    ownTicks: 3,
    childTicks: 7,
    rssPages: 77,
    isZombie: false,
    isStopped: false,
  });
  assert.equal(parseSample('9 (a) S 1'), undefined);
});

test('a journal’s length goes on through its segments', (context) => {
  const runsDir = mkdtempSync(join(tmpdir(), 'clf-use-'));
  context.after(() => rmSync(runsDir, { recursive: true, force: true }));
  const runDir = join(runsDir, 'a');
  assert.equal(readJournalExtent(runDir), undefined);
  mkdirSync(runDir);
  assert.equal(readJournalExtent(runDir), undefined, 'an intent has no journal yet');
  writeFileSync(join(runDir, 'j-0000000000000000'), 'x'.repeat(16));
  assert.deepEqual(readJournalExtent(runDir), { lengthBytes: 16, diskBytes: 16 });
  writeFileSync(join(runDir, 'j-0000000000000000'), 'x'.repeat(32));
  assert.deepEqual(readJournalExtent(runDir), { lengthBytes: 32, diskBytes: 32 });
  writeFileSync(join(runDir, 'j-0000000000000020'), 'yy');
  assert.deepEqual(readJournalExtent(runDir), { lengthBytes: 34, diskBytes: 34 });
  rmSync(join(runDir, 'j-0000000000000000'));
  assert.deepEqual(readJournalExtent(runDir), { lengthBytes: 34, diskBytes: 2 }, 'a ring');
  rmSync(runDir, { recursive: true });
  assert.equal(readJournalExtent(runDir), undefined);
});
