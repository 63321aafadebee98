/*
 * B3: what was acknowledged survives a power cut. The writer is a real process on a real disk, whose power is cut at moments
 * of chance; and the rig proves itself by finding what is lost when nothing is synced.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { inOwnMounts } from '@clawdfather/testkit';
import type { CutReport } from '../power-cut-report.ts';

const unsynced = new URL('../fixtures/unsynced.ts', import.meta.url).href;

test('B3: a power cut loses nothing acknowledged, doubles nothing and damages nothing', async () => {
  const cuts = 15;
  const reports = await cutPower(cuts);
  assert.equal(reports.length, cuts + 1);
  assert.ok((reports.at(-1)?.acknowledged ?? 0) >= cuts, 'it went on writing');
  for (const { cut, acknowledged, ...found } of reports) {
    const expected = { missing: 0, doubled: 0, isGapless: true, problems: [] };
    assert.deepEqual(found, expected, `cut ${cut}, ${acknowledged} acknowledged`);
  }
});

test('the rig notices when commits are not synced', async () => {
  const reports = await cutPower(4, unsynced);
  const lost = reports.reduce((sum, { missing }) => sum + missing, 0);
  assert.ok(lost > 0, 'acknowledged writes were missing');
});

test('a power cut right after a backup or a restore takes nothing of it back', async () => {
  const said = await runRig('power-cut-restore.ts');
  assert.deepEqual(JSON.parse(said), { afterBackup: ['ann'], afterRestore: ['ann'] });
});

async function cutPower(
  cuts: number,
  ...preloaded: readonly string[]
): Promise<readonly CutReport[]> {
  const said = await runRig('power-cuts.ts', String(cuts), '7', ...preloaded);
  return said.split('\n').slice(0, -1).map(parseReport);
}

/** What it printed. */
async function runRig(name: string, ...more: readonly string[]): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'clf-power-'));
  try {
    const rig = fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url));
    const [program = '', ...words] = inOwnMounts;
    const node = [process.execPath, '--conditions=@clawdfather/source', rig];
    const args = [...words, ...node, directory, ...more];
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    const [said, complaint, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'exit'),
    ]);
    assert.equal(code, 0, complaint);
    const mounts = await readFile('/proc/self/mounts', 'utf8');
    assert.ok(!mounts.includes(directory), 'nothing of it was ever mounted here');
    return said;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

function parseReport(line: string): CutReport {
  return JSON.parse(line) as CutReport;
}
