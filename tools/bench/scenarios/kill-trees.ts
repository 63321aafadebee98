/*
 * Scenario `kill`: a tree of five with two escapees is killed; who lives on?
 */
import type { ContenderName } from '../contenders/contender.ts';
import type { Aim, Row } from '../report/result.ts';
import type { Scenario } from './scenario.ts';
import { openCrew, rowOf, sideBySide } from './side-by-side.ts';

const names: readonly ContenderName[] = [
  'supervisor',
  'supervisor-pty',
  'child_process',
  'child_process-group',
  'execa',
  'node-pty',
];

export const killScenario: Scenario = {
  name: 'kill',
  run: async (deps) => {
    const { killTrials: trials } = deps.sizes;
    await using crew = await openCrew(deps, names);
    const results = await sideBySide(crew, 1, (worker) => {
      deps.progress(worker.contender);
      return worker.task('kill-trees', { trials });
    });
    const neither = { unit: `of ${trials}`, better: 'neither' } as const;
    const lower = { unit: 'ms', better: 'neither' } as const;
    const dirty = rowOf(
      results,
      { measure: 'trials with survivors', ...neither },
      (r) => r.dirtyTrials,
    );
    const rows: Row[] = [
      dirty,
      rowOf(
        results,
        { measure: 'survivors per trial', unit: 'of 5', better: 'neither' },
        (r) => r.survivors / r.trials,
      ),
      rowOf(results, { measure: 'kill to end, p50', ...lower }, (r) => r.latencyMs.p50),
      rowOf(results, { measure: 'kill to end, p99', ...lower }, (r) => r.latencyMs.p99),
    ];
    return {
      name: 'kill',
      title: 'A tree of 5 with 2 escapees, killed',
      rows,
      aims: [aimOf(dirty, trials)],
    };
  },
};

function aimOf(dirty: Row, trials: number): Aim {
  const ours =
    (dirty.cells.get('supervisor')?.median ?? 1) + (dirty.cells.get('supervisor-pty')?.median ?? 1);
  return {
    aim: `no survivor in ${trials} of ${trials} trials`,
    reached: `${ours} trials with survivors on pipes and terminals together`,
    isMet: ours === 0,
  };
}
