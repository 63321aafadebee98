/*
 * `npm run lighthouse -- [--quick] [--json FILE] [--dir DIRECTORY]`: Lighthouse's marks of the way in, the inbox and a long thread, of a real
 * gateway, as on a mid-range phone; and what it objects to.
 *
 * Lighthouse is fetched by npx at an exact version and is no dependency: 114 packages and 176 MB, for a tool that is used before a release.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { median } from '../measure/statistics.ts';
import { parseOptions } from '../options.ts';
import { formatJson } from '../report/json.ts';
import { describeMachine } from '../report/machine.ts';
import { aimOfValue, cellOf, type ScenarioResult } from '../report/result.ts';
import { formatResult } from '../report/table.ts';
import { openWorld } from './world.ts';

const lighthouse = 'lighthouse@13.5.0';
const run = promisify(execFile);

/* What each may be below 100 by. */
const lost = { performance: 5, accessibility: 0, 'best-practices': 5 } as const;
const categories = Object.keys(lost) as (keyof typeof lost)[];

interface Report {
  readonly categories: Readonly<
    Record<
      string,
      {
        readonly score: number | null;
        readonly auditRefs: readonly { id: string; weight: number }[];
      }
    >
  >;
  readonly audits: Readonly<
    Record<string, { readonly title: string; readonly score: number | null; displayValue?: string }>
  >;
}

const options = parseOptions(process.argv.slice(2));
const machine = describeMachine(options.dir);
const directory = mkdtempSync(join(options.dir, 'clf-lighthouse-'));
const rounds = options.isQuick ? 1 : 3;
const found = new Map<string, readonly Report[]>();
try {
  await using world = await openWorld(options.isQuick ? 300 : 10_000);
  const headers = join(directory, 'headers.json');
  writeFileSync(headers, JSON.stringify({ Cookie: world.cookie }), { mode: 0o600 });
  for (const [page, path, isKnown] of [
    ['get in', '/', false],
    ['inbox', '/inbox', true],
    ['thread', `/threads/${world.long[0]}`, true],
  ] as const) {
    const reports: Report[] = [];
    for (let round = 1; round <= rounds; round += 1) {
      process.stderr.write(`${page}: round ${round} of ${rounds}\n`);
      const address = new URL(path, world.gateway.url).href;
      reports.push(await look(address, isKnown ? [`--extra-headers=${headers}`] : []));
    }
    found.set(page, reports);
  }
} finally {
  rmSync(directory, { recursive: true, force: true });
}
const result = resultOf();
process.stdout.write(formatResult(result));
for (const [page, reports] of found) {
  for (const objection of objectionsOf(reports.at(-1))) {
    process.stdout.write(`  ${page}: ${objection}\n`);
  }
}
if (options.jsonFile !== undefined) {
  const report = { machine, isQuick: options.isQuick, results: [result] };
  writeFileSync(options.jsonFile, formatJson(report));
}

async function look(address: string, more: readonly string[]): Promise<Report> {
  const file = join(directory, 'report.json');
  await run(
    'npx',
    [
      '--yes',
      lighthouse,
      address,
      '--quiet',
      '--output=json',
      `--output-path=${file}`,
      `--only-categories=${categories.join(',')}`,
      '--chrome-flags=--headless=new --no-sandbox --disable-gpu',
      ...more,
    ],
    { env: { ...process.env, CHROME_PATH: '/usr/bin/chromium' } },
  );
  return JSON.parse(readFileSync(file, 'utf8')) as Report;
}

function resultOf(): ScenarioResult {
  const marksOf = (reports: readonly Report[], category: string): readonly number[] =>
    reports.map((report) => (report.categories[category]?.score ?? Number.NaN) * 100);
  return {
    name: 'lighthouse',
    title: `Marks of ${lighthouse}, of 100`,
    rows: categories.map((category) => ({
      measure: category,
      unit: '',
      better: 'neither',
      cells: new Map(
        [...found].map(([page, reports]) => [page, cellOf(marksOf(reports, category))]),
      ),
    })),
    aims: categories.flatMap((category) =>
      [...found].map(([page, reports]) =>
        aimOfValue({
          text: `${page}: ${category} at most ${lost[category]} below 100`,
          value: 100 - median(marksOf(reports, category)),
          unit: 'below',
          atMost: lost[category],
        }),
      ),
    ),
  };
}

function objectionsOf(report: Report | undefined): readonly string[] {
  if (report === undefined) return [];
  return categories.flatMap((category) =>
    (report.categories[category]?.auditRefs ?? [])
      .filter(({ id, weight }) => weight > 0 && (report.audits[id]?.score ?? 1) < 0.9)
      .map(({ id }) => `${category}: ${id}, ${report.audits[id]?.displayValue ?? ''}`),
  );
}
