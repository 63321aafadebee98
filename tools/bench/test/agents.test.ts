/*
 * The benchmark of agents cannot rot: every scenario runs in its smallest size, and leaves neither files nor processes.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { readReport, runQuick } from './quick-run.ts';

const main = '../agents/main.ts';
let dir = '';

before(() => {
  dir = mkdtempSync(join(tmpdir(), 'clf-bench-test-'));
});
after(() => rmSync(dir, { recursive: true, force: true }));

test('a quick run measures turns beside the bare client, and leaves nothing but its report', () => {
  const jsonFile = join(dir, 'report.json');
  const { status, stdout, stderr } = runQuick(main, dir, ['--json', jsonFile]);
  assert.equal(status, 0, `${stdout}\n${stderr}`);
  const { results } = readReport(jsonFile);
  assert.deepEqual(
    results.map(({ name }) => name),
    ['delta', 'rate', 'adopt', 'cost', 'queue'],
  );
  const [delta, rate, , cost] = results.map(({ rows }) => rows);
  for (const rows of [delta, rate]) {
    assert.ok(rows?.some(({ cells }) => 'gateway' in cells && 'bare client' in cells));
  }
  // The frequent change is three statements, whatever else there is.
  const statements = cost?.find(({ measure }) => measure.startsWith('statements'))?.cells ?? {};
  assert.deepEqual(
    Object.values(statements).map(({ median }) => median),
    [3],
  );
  assert.deepEqual(readdirSync(dir), ['report.json']);
  assert.deepEqual(processesThatName(dir), []);
});

test('an unknown scenario is refused with the names there are', () => {
  const { status, stderr } = runQuick(main, dir, ['--only', 'nonsense']);
  assert.notEqual(status, 0);
  assert.match(stderr, /no scenario is called nonsense; there are delta, rate, adopt, cost/);
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
