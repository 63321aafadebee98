/*
 * Scenario `cli-start`: how long a short command takes from its start to its end, beside a Node that does nothing. The command is
 * started as a user starts it, from the bundle and with compiled code kept.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { createSystemClock } from '@clawdfather/kit';
import { median } from '../measure/statistics.ts';
import { type Aim, aimOfRatio, cellOf, type Row } from '../report/result.ts';
import type { Scenario } from './scenario.ts';

const pathOf = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));
const clf = pathOf('../../../packages/cli/bin/clawdfather');
const emptyNode = 'node -e 0';

const starts: Readonly<Record<string, readonly string[]>> = {
  [emptyNode]: [process.execPath, '-e', '0'],
  'clf --help': [clf, '--help'],
  'clf ps': [clf, 'ps'],
};

/* Of each command in a round. */
const startsPerRound = 9;

export const cliStartScenario: Scenario = {
  name: 'cli-start',
  run: async ({ sizes, makeDir, progress }) => {
    progress('join the bundle');
    mustRun([process.execPath, pathOf('../../tasks/bundle.ts')], process.env);
    const directory = makeDir('cli-start');
    const env = {
      PATH: process.env['PATH'],
      HOME: directory,
      CLAWDFATHER_STATE_DIR: `${directory}/state`,
    };
    const rounds = new Map<string, number[]>(Object.keys(starts).map((name) => [name, []]));
    // The first start of each makes what the later ones find.
    for (const words of Object.values(starts)) mustRun(words, env);
    for (let round = 0; round < sizes.rounds; round += 1) {
      progress(`round ${round + 1}`);
      for (const [name, tookMs] of startInTurn(env)) rounds.get(name)?.push(median(tookMs));
    }
    const rows = ['clf --help', 'clf ps'].map((name) => rowOf(name, rounds));
    return { name: 'cli-start', title: 'A short command', rows, aims: rows.map(aimOf) };
  },
};

function startInTurn(env: NodeJS.ProcessEnv): ReadonlyMap<string, readonly number[]> {
  const clock = createSystemClock();
  const tookMs = new Map<string, number[]>(Object.keys(starts).map((name) => [name, []]));
  for (let turn = 0; turn < startsPerRound; turn += 1) {
    for (const [name, words] of Object.entries(starts)) {
      const sinceMs = clock.monotonicMs();
      mustRun(words, env);
      tookMs.get(name)?.push(clock.monotonicMs() - sinceMs);
    }
  }
  return tookMs;
}

function mustRun([command = '', ...args]: readonly string[], env: NodeJS.ProcessEnv): void {
  const { status, stderr } = spawnSync(command, args, { env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}: ${stderr}`);
}

function rowOf(name: string, rounds: ReadonlyMap<string, readonly number[]>): Row {
  const cells = new Map([name, emptyNode].map((one) => [one, cellOf(rounds.get(one) ?? [])]));
  return { measure: name, unit: 'ms', better: 'lower', cells };
}

function aimOf(row: Row): Aim {
  const text = `${row.measure} takes at most twice as long as ${emptyNode}`;
  return aimOfRatio({ text, row, against: emptyNode, atLeast: 0.5 });
}
