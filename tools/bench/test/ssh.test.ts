/*
 * The benchmark of hosts cannot rot: every scenario runs in its smallest size, ends every command that it cancels, and leaves neither
 * files nor processes.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { sshdSkip } from '@clawdfather/testkit';
import { readReport, runQuick } from './quick-run.ts';

const main = '../ssh/main.ts';
let dir = '';

before(() => {
  dir = mkdtempSync(join(tmpdir(), 'clf-bench-test-'));
});
after(() => rmSync(dir, { recursive: true, force: true }));

test('a quick run measures every scenario and leaves nothing but its report', {
  skip: sshdSkip,
}, () => {
  const jsonFile = join(dir, 'report.json');
  const { status, stdout, stderr } = runQuick(main, dir, ['--json', jsonFile]);
  assert.equal(status, 0, `${stdout}\n${stderr}`);
  const { results } = readReport(jsonFile);
  assert.deepEqual(
    results.map(({ name }) => name),
    ['exec', 'start', 'cancel'],
  );
  const [exec, , cancel] = results.map(({ rows }) => rows);
  const contenders = exec?.flatMap(({ cells }) => Object.keys(cells)) ?? [];
  for (const name of ['ssh -S', 'library', 'HTTP', 'fresh ssh']) {
    assert.ok(contenders.includes(name), name);
  }
  const ended = (measure: RegExp): number | undefined =>
    cancel?.find((row) => measure.test(row.measure))?.cells['library']?.median;
  assert.equal(ended(/survivors/), 0);
  assert.equal(ended(/not confirmed/), 0);
  assert.deepEqual(readdirSync(dir), ['report.json']);
  assert.deepEqual(processesThatName(dir), []);
});

test('an unknown scenario is refused with the names there are', () => {
  const { status, stderr } = runQuick(main, dir, ['--only', 'nonsense']);
  assert.notEqual(status, 0);
  assert.match(stderr, /no scenario is called nonsense; there are exec, start, cancel/);
});

function processesThatName(text: string): readonly string[] {
  return readdirSync('/proc')
    .filter((name) => /^[0-9]+$/.test(name))
    .map((pid) => readCommand(pid))
    .filter((command) => command.includes(text));
}

function readCommand(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return ''; // It is gone.
  }
}
