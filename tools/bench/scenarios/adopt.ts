/*
 * Scenario `adopt`: a supervisor with many live runs is killed; how long until the next one has them all, in an empty
 * registry and beside a hundred thousand finished records? How long does it take to look at everything again?
 */
import { type Aim, aimOfValue, cellOf, type Row } from '../report/result.ts';
import { fillRegistry } from './fill-registry.ts';
import type { Scenario } from './scenario.ts';
import { openWorker } from './worker-process.ts';

interface Adoption {
  readonly openMs: number;
  readonly reconcileMs: number;
}

export const adoptScenario: Scenario = {
  name: 'adopt',
  run: async (deps) => {
    const { adoptRuns, adoptRounds, records } = deps.sizes;
    const sizes = [0, records.at(-1) ?? 0];
    const results = new Map(sizes.map((size) => [size, new Array<Adoption>()]));
    const opens = new Map(sizes.map((size) => [size, new Array<number>()]));
    for (let round = 0; round < adoptRounds; round += 1) {
      for (const size of sizes) {
        deps.progress(`${size} records`);
        const stateDir = deps.makeDir(`adopt-${size}-${round}`);
        await fillRegistry(stateDir, size);
        opens.get(size)?.push(await openOnly(stateDir));
        results.get(size)?.push(await adoptAll(stateDir, adoptRuns));
      }
    }
    const rows = rowsOf(results, opens, adoptRuns);
    return { name: 'adopt', title: 'Opening and adopting', rows, aims: aimsOf(rows, adoptRuns) };
  },
};

async function openOnly(stateDir: string): Promise<number> {
  await using worker = await openWorker('supervisor', stateDir);
  return worker.openMs;
}

async function adoptAll(stateDir: string, runs: number): Promise<Adoption> {
  const first = await openWorker('supervisor', stateDir);
  await first.task('start-idle', { runs });
  await first.kill();
  await using second = await openWorker('supervisor', stateDir);
  const { adopted, asked, answered } = await second.task('check-adopted', {});
  const { tookMs: reconcileMs } = await second.task('reconcile', {});
  await second.task('end-idle', {});
  if (adopted !== runs || answered !== asked) {
    throw new Error(`${adopted} of ${runs} adopted, ${answered} of ${asked} answered`);
  }
  return { openMs: second.openMs, reconcileMs };
}

function rowsOf(
  results: ReadonlyMap<number, readonly Adoption[]>,
  opens: ReadonlyMap<number, readonly number[]>,
  runs: number,
): readonly Row[] {
  const text = { unit: 'ms', better: 'neither' } as const;
  const column = (size: number): string => `${size} records`;
  const cells = (pick: (adoption: Adoption) => number): Row['cells'] =>
    new Map([...results].map(([size, all]) => [column(size), cellOf(all.map(pick))]));
  const openCells = new Map([...opens].map(([size, all]) => [column(size), cellOf(all)]));
  return [
    { measure: 'open, nothing live', ...text, cells: openCells },
    { measure: `open and adopt ${runs} live runs`, ...text, cells: cells(({ openMs }) => openMs) },
    { measure: `reconcile with ${runs} in hand`, ...text, cells: cells((a) => a.reconcileMs) },
  ];
}

function aimsOf(rows: readonly Row[], runs: number): readonly Aim[] {
  const adopt = rows[1];
  return [...(adopt?.cells ?? [])].map(([column, cell]) =>
    aimOfValue({
      text: `${runs} live runs re-attached beside ${column}: under 2 s`,
      value: cell.median,
      unit: 'ms',
      atMost: 2_000,
    }),
  );
}
