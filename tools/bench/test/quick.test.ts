/*
 * The benchmarks cannot rot: their scenarios run in their smallest size, give numbers for all contenders, and leave neither files nor
 * processes. `npm test` runs those named first; `npm run test:bench:long` runs every one.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { sshdSkip } from '@clawdfather/testkit';
import { readReport, runQuick, type WrittenReport } from './quick-run.ts';

const isWhole = process.env['BENCH'] === 'all';

type Rows = WrittenReport['results'][number]['rows'];

interface Bench {
  readonly name: string;
  /* From quick-run.ts. */
  readonly main: string;
  readonly first: readonly string[];
  readonly others: readonly string[];
  readonly skip?: string | false;
  /* What must be so whatever is measured, by the scenario's name. */
  readonly holds?: Readonly<Record<string, (rows: Rows) => void>>;
}

const benches: readonly Bench[] = [
  {
    name: 'runs',
    main: '../main.ts',
    first: ['echo'],
    others: [
      'spawn',
      'spawn-least',
      'spawn-heap',
      'shield',
      'growth',
      'output',
      'output-pty',
      'cli-start',
      'kill',
      'memory',
      'adopt',
      'mcp',
    ],
  },
  {
    name: 'agents',
    main: '../agents/main.ts',
    first: ['delta', 'cost'],
    others: ['rate', 'adopt', 'queue'],
    holds: {
      delta: isBesideTheBareClient,
      rate: isBesideTheBareClient,
      // The frequent change is three statements, whatever else there is.
      cost: (rows) => {
        const statements = Object.values(cellsOf(rows, /^statements/));
        assert.deepEqual(
          statements.map(({ median }) => median),
          [3],
        );
      },
    },
  },
  {
    name: 'hosts',
    main: '../ssh/main.ts',
    first: ['cancel'],
    others: ['exec', 'start'],
    skip: sshdSkip,
    holds: {
      exec: (rows) => {
        const contenders = rows.flatMap(({ cells }) => Object.keys(cells));
        for (const name of ['ssh -S', 'library', 'HTTP', 'fresh ssh']) {
          assert.ok(contenders.includes(name), name);
        }
      },
      cancel: (rows) => {
        assert.equal(cellsOf(rows, /survivors/)['library']?.median, 0);
        assert.equal(cellsOf(rows, /not confirmed/)['library']?.median, 0);
      },
    },
  },
  {
    name: 'the app',
    main: '../web/main.ts',
    first: ['visit'],
    others: ['thread', 'scroll', 'switch', 'stream', 'return', 'outbox', 'words'],
  },
];

for (const { name, main, first, others, skip = false, holds = {} } of benches) {
  test(`a quick run of the benchmark of ${name} gives its numbers, and leaves nothing but its report`, {
    skip,
  }, (t) => {
    const dir = openDirectory(t);
    const jsonFile = join(dir, 'report.json');
    const only = isWhole ? [] : first.flatMap((scenario) => ['--only', scenario]);
    const { status, stdout, stderr } = runQuick(main, dir, ['--json', jsonFile, ...only]);
    assert.equal(status, 0, `${stdout}\n${stderr}`);
    const { results } = readReport(jsonFile);
    const names = results.map((result) => result.name);
    assert.deepEqual(new Set(names), new Set(isWhole ? [...first, ...others] : first));
    for (const result of results) holds[result.name]?.(result.rows);
    assert.deepEqual(readdirSync(dir), ['report.json']);
    assert.deepEqual(processesThatName(dir), []);
  });

  test(`an unknown scenario of ${name} is refused with the names there are`, (t) => {
    const { status, stderr } = runQuick(main, openDirectory(t), ['--only', 'nonsense']);
    assert.notEqual(status, 0);
    const told = /no scenario is called nonsense; there are (.*)/.exec(stderr)?.[1]?.split(', ');
    assert.deepEqual(new Set(told), new Set([...first, ...others]));
  });
}

function openDirectory(t: TestContext): string {
  const dir = mkdtempSync(join(tmpdir(), 'clf-bench-test-'));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

function isBesideTheBareClient(rows: Rows): void {
  assert.ok(rows.some(({ cells }) => 'gateway' in cells && 'bare client' in cells));
}

function cellsOf(rows: Rows, measure: RegExp): Rows[number]['cells'] {
  return rows.find((row) => measure.test(row.measure))?.cells ?? {};
}

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
