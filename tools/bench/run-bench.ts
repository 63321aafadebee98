/*
 * What all benchmarks have in common: their options, a directory that is gone afterwards, scenarios one after another, each told as soon as it
 * is measured, then the aims and, when asked for, JSON.
 *
 * A missed aim is a result, not a failure: a benchmark fails only when something could not be measured.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createScope, type Scope } from '@clawdfather/kit';
import { type Options, parseOptions } from './options.ts';
import { formatJson } from './report/json.ts';
import { describeMachine } from './report/machine.ts';
import type { ScenarioResult } from './report/result.ts';
import { formatAims, formatResult } from './report/table.ts';

interface Telling {
  readonly progress: (text: string) => void;
}

interface BenchSpec<Given> {
  /* Of its directory. Short: sockets may lie below it, and their paths have 90 bytes at most. */
  readonly prefix: string;
  readonly scenarios: Readonly<Record<string, (bench: Given & Telling) => Promise<ScenarioResult>>>;
  /* What the scenarios work with; it is closed with the scope. */
  readonly open: (ground: Ground) => Given | Promise<Given>;
}

interface Ground {
  readonly scope: Scope;
  readonly directory: string;
  readonly options: Options;
}

export async function runBench<Given>({
  prefix,
  scenarios,
  open,
}: BenchSpec<Given>): Promise<void> {
  const options = parseOptions(process.argv.slice(2));
  const names = Object.keys(scenarios);
  const unknown = options.only.filter((name) => !names.includes(name));
  if (unknown.length > 0) {
    throw new Error(`no scenario is called ${unknown.join(', ')}; there are ${names.join(', ')}`);
  }
  const machine = describeMachine(options.dir);
  process.stdout.write(
    `${machine.cores} cores, ${machine.memoryGigabytes} GB, Linux ${machine.kernel}, Node ${machine.node}, ` +
      `files on ${machine.fileSystem}, load before ${machine.loadBefore}\n`,
  );
  const directory = mkdtempSync(join(options.dir, prefix));
  const results: ScenarioResult[] = [];
  try {
    await using scope = createScope();
    const given = await open({ scope, directory, options });
    for (const [name, run] of Object.entries(scenarios)) {
      if (options.only.length > 0 && !options.only.includes(name)) continue;
      const progress = (text: string): void => void process.stderr.write(`${name}: ${text}\n`);
      const result = await run({ ...given, progress });
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
}
