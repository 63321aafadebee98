/*
 * Scenario `memory`: what a command that only waits costs beside itself.
 */
import type { ContenderName } from '../contenders/contender.ts';
import { aimOfValue, type Row } from '../report/result.ts';
import type { Scenario } from './scenario.ts';
import { openCrew, rowOf, sideBySide } from './side-by-side.ts';

const names: readonly ContenderName[] = ['supervisor', 'child_process', 'execa', 'node-pty'];

export const memoryScenario: Scenario = {
  name: 'memory',
  run: async (deps) => {
    const { idleRuns: runs } = deps.sizes;
    await using crew = await openCrew(deps, names);
    const results = await sideBySide(crew, 1, (worker) => {
      deps.progress(worker.contender);
      return worker.task('idle-memory', { runs });
    });
    const text = { unit: 'kB', better: 'neither' } as const;
    const pss = rowOf(
      results,
      { measure: 'shims and spawnd (PSS) per run', ...text },
      (r) => r.pssPerRunBytes / 1024,
    );
    const rows: Row[] = [
      pss,
      rowOf(
        results,
        { measure: 'heap of the parent per run', ...text },
        (r) => r.heapPerRunBytes / 1024,
      ),
      rowOf(
        results,
        { measure: 'resident set of the parent per run', ...text },
        (r) => r.rssPerRunBytes / 1024,
      ),
    ];
    const aim = aimOfValue({
      text: 'supervisor memory (PSS) per idle run: at most 80 kB',
      value: pss.cells.get('supervisor')?.median ?? Number.NaN,
      unit: 'kB',
      atMost: 80,
    });
    return { name: 'memory', title: `Memory per idle run at ${runs} runs`, rows, aims: [aim] };
  },
};
