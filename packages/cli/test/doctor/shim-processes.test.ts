/*
 * Which shims `clf doctor` sees: for root by where they work, for their own user, who cannot look into them, by the registry.
 */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { checkShimProcesses, readShimProcesses } from '../../src/doctor/shim-processes.ts';
import { runId } from '../support/records.ts';

interface MadeUp {
  readonly uid: number;
  readonly state?: string;
  readonly name?: string;
  /* Where root could see it work. */
  readonly cwd?: string;
}

/* A /proc with these processes, by their ids, each started at 1000 and its id. */
function openScene(context: TestContext) {
  const root = mkdtempSync(join(tmpdir(), 'clf-shims-'));
  context.after(() => rmSync(root, { recursive: true }));
  const [proc, runsDir] = [join(root, 'proc'), join(root, 'runs')];
  const add = (pid: number, { uid, state = 'S', name = 'clf-shim', cwd }: MadeUp): void => {
    const path = join(proc, String(pid));
    mkdirSync(path, { recursive: true });
    const between = Array.from({ length: 18 }, () => '0').join(' ');
    writeFileSync(join(path, 'stat'), `${pid} (${name}) ${state} ${between} ${1000 + pid} 0 0\n`);
    writeFileSync(join(path, 'status'), `Name:\t${name}\nUid:\t${uid}\t0\t0\t0\n`);
    if (cwd !== undefined) symlinkSync(cwd, join(path, 'cwd'));
  };
  const look = (runs: readonly [name: string, pid: number, startTicks: number][]) =>
    checkShimProcesses({
      shims: readShimProcesses(7, proc),
      runs: runs.map(([name, shimPid, shimStartTicks]) => ({
        runId: runId(name),
        shimPid,
        shimStartTicks,
        exit: undefined,
      })),
      runsDir,
    });
  const addRun = (name: string): void => {
    mkdirSync(join(runsDir, name), { recursive: true });
  };
  return { add, addRun, look, runsDir };
}

test('shims that cannot be looked into are found by pid and start', (context) => {
  const { add, addRun, look } = openScene(context);
  add(11, { uid: 7 });
  add(12, { uid: 7 });
  add(13, { uid: 8 });
  add(14, { uid: 7, name: 'other' });
  addRun('a1');
  assert.match(look([]).summary, /^0 shims/);
  const runs = [
    ['a1', 11, 1011],
    ['b2', 12, 999],
    ['c3', 13, 1013],
    ['d4', 14, 1014],
  ] as const;
  const found = look(runs.map((run) => [...run]));
  assert.deepEqual([found.status, found.summary], ['ok', '1 shim, none stopped or without a run']);
});

test('one that is stopped and one without its directory are named', (context) => {
  const { add, addRun, look } = openScene(context);
  add(11, { uid: 7, state: 'T' });
  addRun('a1');
  assert.match(look([['a1', 11, 1011]]).advice ?? '', /kill -CONT 11$/);
  add(12, { uid: 7 });
  const lost = look([
    ['a1', 11, 1011],
    ['b2', 12, 1012],
  ]);
  assert.match(lost.summary, /directory was deleted: 12$/);
});

test('where it can be seen, the place of a shim counts, also without a record', (context) => {
  const { add, look, runsDir } = openScene(context);
  add(11, { uid: 7, cwd: join(runsDir, 'a1') });
  add(12, { uid: 7, cwd: '/elsewhere/runs/a1' });
  assert.match(look([]).summary, /^1 shim,/);
});
