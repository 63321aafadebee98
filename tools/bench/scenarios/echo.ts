/*
 * Scenario `echo`: one byte there and back, through a terminal and through pipes; with a typist's pauses and without.
 */
import type { ContenderName } from '../contenders/contender.ts';
import type { Spread } from '../measure/statistics.ts';
import { aimOfRatio, type Row } from '../report/result.ts';
import type { Scenario } from './scenario.ts';
import { openCrew, rowOf, sideBySide } from './side-by-side.ts';

const names: readonly ContenderName[] = [
  'supervisor-pty',
  'node-pty',
  'supervisor',
  'child_process',
];

export const echoScenario: Scenario = {
  name: 'echo',
  run: async (deps) => {
    const { rounds, echoRoundTrips: roundTrips, echoPauseMs } = deps.sizes;
    await using crew = await openCrew(deps, names);
    const rows: Row[] = [];
    for (const pauseMs of [echoPauseMs, 0]) {
      const how = pauseMs === 0 ? 'back to back' : `every ${pauseMs} ms`;
      deps.progress(how);
      const results = await sideBySide(crew, rounds, (worker) =>
        worker.task('echo', { roundTrips, pauseMs }),
      );
      rows.push(...rowsOf(how, results));
    }
    const [typed] = rows;
    if (typed === undefined) throw new TypeError('there are no rows');
    const text = 'echo through a terminal: at most 2 times node-pty';
    const aim = aimOfRatio({ text, row: typed, against: 'node-pty', atLeast: 0.5 });
    return { name: 'echo', title: 'Round trip of one byte', rows, aims: [aim] };
  },
};

function rowsOf(how: string, results: ReadonlyMap<string, readonly Spread[]>): readonly Row[] {
  const lower = { unit: 'ms', better: 'lower' } as const;
  return [
    rowOf(results, { measure: `p50 ${how}`, ...lower }, (spread) => spread.p50),
    rowOf(results, { measure: `p99 ${how}`, ...lower }, (spread) => spread.p99),
  ];
}
