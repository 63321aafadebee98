/*
 * The benchmark cannot rot: every scenario runs in its smallest size and gives numbers for all its contenders.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { readReport, runQuick } from './quick-run.ts';

let dir = '';

before(() => {
  dir = mkdtempSync(join(tmpdir(), 'clf-bench-test-'));
});
after(() => rmSync(dir, { recursive: true, force: true }));

test('a quick run measures every scenario and leaves nothing but its report', () => {
  const jsonFile = join(dir, 'report.json');
  const { status, stdout, stderr } = runQuick('../main.ts', dir, ['--json', jsonFile]);
  assert.equal(status, 0, `${stdout}\n${stderr}`);
  const names = readReport(jsonFile).results.map(({ name }) => name);
  assert.deepEqual(names, [
    'spawn',
    'spawn-least',
    'spawn-heap',
    'shield',
    'growth',
    'output',
    'output-pty',
    'echo',
    'kill',
    'memory',
    'adopt',
    'mcp',
    'cli-start',
  ]);
  assert.deepEqual(readdirSync(dir), ['report.json']);
});

test('an unknown scenario is refused with the names there are', () => {
  const { status, stderr } = runQuick('../main.ts', dir, ['--only', 'nonsense']);
  assert.notEqual(status, 0);
  assert.match(stderr, /no scenario is called nonsense; there are spawn, /);
});
