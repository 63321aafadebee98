/*
 * `npm run bench:agents -- [--quick] [--only delta|rate|adopt|cost|queue]… [--json FILE] [--dir DIRECTORY]`: turns of agents through a real gateway
 * on SQLite, beside the protocol's own client on the same agent's pipes, in one run on one machine, in turns.
 *
 * A missed aim is a result, not a failure.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseOptions } from '../options.ts';
import { formatJson } from '../report/json.ts';
import { describeMachine } from '../report/machine.ts';
import type { ScenarioResult } from '../report/result.ts';
import { formatAims, formatResult } from '../report/table.ts';
import {
  type Bench,
  benchAdopt,
  benchCost,
  benchDelta,
  benchQueue,
  benchRate,
} from './scenarios.ts';

const scenarios: Readonly<Record<string, (bench: Bench) => Promise<ScenarioResult>>> = {
  delta: benchDelta,
  rate: benchRate,
  adopt: benchAdopt,
  cost: benchCost,
  queue: benchQueue,
};

const options = parseOptions(process.argv.slice(2));
const unknown = options.only.filter((name) => !(name in scenarios));
if (unknown.length > 0) {
  const names = Object.keys(scenarios).join(', ');
  throw new Error(`no scenario is called ${unknown.join(', ')}; there are ${names}`);
}

const machine = describeMachine(options.dir);
const directory = mkdtempSync(join(options.dir, 'clf-bagents-'));
const results: ScenarioResult[] = [];
try {
  process.stdout.write(
    `${machine.cores} cores, Linux ${machine.kernel}, Node ${machine.node}, load before ${machine.loadBefore}\n`,
  );
  for (const [name, run] of Object.entries(scenarios)) {
    if (options.only.length > 0 && !options.only.includes(name)) continue;
    const progress = (text: string): void => void process.stderr.write(`${name}: ${text}\n`);
    const result = await run({ directory, isQuick: options.isQuick, progress });
    results.push(result);
    process.stdout.write(formatResult(result));
  }
} finally {
  rmSync(directory, { recursive: true, force: true });
}
process.stdout.write(`\nAims\n${formatAims(results.flatMap(({ aims }) => aims))}`);
if (options.jsonFile !== undefined) {
  writeFileSync(options.jsonFile, formatJson({ machine, isQuick: options.isQuick, results }));
}
