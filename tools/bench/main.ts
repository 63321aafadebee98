/*
 * `npm run bench`: the supervisor beside child_process, execa and node-pty, in one run on one machine.
 * The contenders of a scenario are interleaved round by round.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { runBench } from './run-bench.ts';
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

await runBench({
  prefix: 'clawdfather-bench-',
  scenarios: Object.fromEntries(scenarios.map(({ name, run }) => [name, run])),
  open: ({ directory, options: { sizes } }) => {
    let made = 0;
    const makeDir = (name: string): string => {
      made += 1;
      const dir = join(directory, `${made}-${name}`);
      mkdirSync(dir, { mode: 0o700 });
      return dir;
    };
    return { sizes, makeDir };
  },
});
