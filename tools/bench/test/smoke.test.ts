/*
 * The benchmark cannot rot: every scenario runs in its smallest size and gives numbers for all its contenders.
 */
import assert from 'node:assert/strict';
import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';

interface WrittenReport {
  readonly machine: Readonly<Record<string, unknown>>;
  readonly results: readonly {
    readonly name: string;
    readonly rows: readonly {
      readonly measure: string;
      readonly cells: Readonly<Record<string, { readonly median: number }>>;
    }[];
  }[];
}

const mainPath = fileURLToPath(new URL('../main.ts', import.meta.url));
let dir = '';

before(() => {
  dir = mkdtempSync(join(tmpdir(), 'clf-bench-test-'));
});
after(() => rmSync(dir, { recursive: true, force: true }));

function bench(...args: readonly string[]): SpawnSyncReturns<string> {
  return spawnSync(
    process.execPath,
    ['--conditions=@clawdfather/source', mainPath, '--quick', '--dir', dir, ...args],
    { encoding: 'utf8' },
  );
}

test('a quick run measures every scenario and leaves nothing but its report', () => {
  const jsonFile = join(dir, 'report.json');
  const { status, stdout, stderr } = bench('--json', jsonFile);
  assert.equal(status, 0, `${stdout}\n${stderr}`);
  const report = JSON.parse(readFileSync(jsonFile, 'utf8')) as WrittenReport;
  const names = report.results.map(({ name }) => name);
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
  for (const { name, rows } of report.results) {
    assert.ok(rows.length > 0, name);
    for (const { measure, cells } of rows) {
      for (const [contender, { median }] of Object.entries(cells)) {
        assert.ok(Number.isFinite(median), `${name}, ${measure}, ${contender}: ${median}`);
      }
    }
  }
  assert.deepEqual(readdirSync(dir), ['report.json']);
});

test('an unknown scenario is refused with the names there are', () => {
  const { status, stderr } = bench('--only', 'nonsense');
  assert.notEqual(status, 0);
  assert.match(stderr, /no scenario is called nonsense; there are spawn, /);
});
