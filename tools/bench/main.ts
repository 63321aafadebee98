/*
 * `npm run bench`: the supervisor beside child_process, execa and node-pty, in one run on one machine.
 *
 * Stages: scenarios one after another, each with its contenders interleaved round by round → tables → aims → JSON.
 * A missed aim is a result, not a failure: the exit code is non-zero only when something could not be measured.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseOptions } from './options.ts';
import { formatJson } from './report/json.ts';
import { describeMachine } from './report/machine.ts';
import type { ScenarioResult } from './report/result.ts';
import { formatAims, formatResult } from './report/table.ts';
import { adoptScenario } from './scenarios/adopt.ts';
import { cliStartScenario } from './scenarios/cli-start.ts';
import { echoScenario } from './scenarios/echo.ts';
import { growthScenario } from './scenarios/growth.ts';
import { memoryScenario } from './scenarios/idle-memory.ts';
import { killScenario } from './scenarios/kill-trees.ts';
import { mcpScenario } from './scenarios/mcp.ts';
import { outputScenario, outputTerminalScenario } from './scenarios/output.ts';
import type { Scenario } from './scenarios/scenario.ts';
import {
  shieldScenario,
  spawnHeapScenario,
  spawnLeastScenario,
  spawnScenario,
} from './scenarios/spawn.ts';

const scenarios: readonly Scenario[] = [
  spawnScenario,
  spawnLeastScenario,
  spawnHeapScenario,
  shieldScenario,
  growthScenario,
  outputScenario,
  outputTerminalScenario,
  echoScenario,
  killScenario,
  memoryScenario,
  adoptScenario,
  mcpScenario,
  cliStartScenario,
];

const options = parseOptions(process.argv.slice(2));
const unknown = options.only.filter((name) => !scenarios.some((known) => known.name === name));
if (unknown.length > 0) {
  const names = scenarios.map(({ name }) => name).join(', ');
  throw new Error(`no scenario is called ${unknown.join(', ')}; there are ${names}`);
}

const machine = describeMachine(options.dir);
const root = mkdtempSync(join(options.dir, 'clawdfather-bench-'));
let dirs = 0;
const makeDir = (name: string): string => {
  dirs += 1;
  const dir = join(root, `${dirs}-${name}`);
  mkdirSync(dir, { mode: 0o700 });
  return dir;
};

const results: ScenarioResult[] = [];
try {
  process.stdout.write(
    `${machine.cores} cores, ${machine.memoryGigabytes} GB, Linux ${machine.kernel}, Node ${machine.node}, ` +
      `journals on ${machine.fileSystem}, load before ${machine.loadBefore}\n`,
  );
  for (const { name, run } of scenarios) {
    if (options.only.length > 0 && !options.only.includes(name)) continue;
    const progress = (text: string): void => void process.stderr.write(`${name}: ${text}\n`);
    const result = await run({ sizes: options.sizes, makeDir, progress });
    results.push(result);
    process.stdout.write(formatResult(result));
  }
} finally {
  rmSync(root, { recursive: true, force: true });
}
process.stdout.write(`\nAims\n${formatAims(results.flatMap(({ aims }) => aims))}`);
if (options.jsonFile !== undefined) {
  writeFileSync(options.jsonFile, formatJson({ machine, isQuick: options.isQuick, results }));
}
