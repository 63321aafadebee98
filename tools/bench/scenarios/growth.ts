/*
 * Scenario `growth`: does a spawn cost more when the registry holds many finished runs?
 */
import { type Aim, cellOf, type Row } from '../report/result.ts';
import type { ClosedLoopResult } from '../measure/closed-loop.ts';
import { fillRegistry } from './fill-registry.ts';
import type { Scenario, ScenarioDeps } from './scenario.ts';
import { openWorker, type WorkerProcess } from './worker-process.ts';

/* "Flat" is what noise alone could do. */
const flatMax = 1.15;

export const growthScenario: Scenario = {
  name: 'growth',
  run: async (deps) => {
    await using stack = new AsyncDisposableStack();
    const workers = new Map<number, WorkerProcess>();
    for (const size of deps.sizes.records) {
      deps.progress(`${size} records are written`);
      const stateDir = deps.makeDir(`growth-${size}`);
      await fillRegistry(stateDir, size);
      workers.set(size, stack.use(await openWorker('supervisor', stateDir)));
    }
    const rows: Row[] = [];
    for (const concurrency of [1, deps.sizes.concurrencies.at(-1) ?? 1]) {
      deps.progress(`${concurrency} at a time`);
      rows.push(...(await measure(deps, workers, concurrency)));
    }
    return { name: 'growth', title: 'Spawn cost as the registry grows', rows, aims: aimsOf(rows) };
  },
};

async function measure(
  { sizes }: ScenarioDeps,
  workers: ReadonlyMap<number, WorkerProcess>,
  concurrency: number,
): Promise<readonly Row[]> {
  const results = new Map([...workers].map(([size]) => [size, new Array<ClosedLoopResult>()]));
  const entries = [...workers];
  for (let round = -1; round < sizes.rounds; round += 1) {
    const durationMs = round < 0 ? sizes.warmUpMs : sizes.spawnMs;
    for (let turn = 0; turn < entries.length; turn += 1) {
      const entry = entries[(turn + round + entries.length) % entries.length];
      if (entry === undefined) continue;
      const result = await entry[1].task('spawn', { concurrency, durationMs });
      if (round >= 0) results.get(entry[0])?.push(result);
    }
  }
  const cells = (pick: (result: ClosedLoopResult) => number): Row['cells'] =>
    new Map([...results].map(([size, all]) => [`${size} records`, cellOf(all.map(pick))]));
  const at = `at ${concurrency}`;
  const lower = { unit: 'ms', better: 'neither' } as const;
  return [
    { measure: `runs ${at}`, unit: '1/s', better: 'neither', cells: cells((r) => r.perSecond) },
    { measure: `event loop ${at}`, ...lower, cells: cells((r) => r.loopPerItem.loopMs) },
    { measure: `latency p99 ${at}`, ...lower, cells: cells((r) => r.latencyMs.p99) },
  ];
}

function aimsOf(rows: readonly Row[]): readonly Aim[] {
  const loops = rows.filter(({ measure: text }) => text.startsWith('event loop'));
  return loops.map(({ measure: text, cells }) => {
    const medians = [...cells.values()].map((cell) => cell.median);
    const ratio = (medians.at(-1) ?? Number.NaN) / (medians[0] ?? Number.NaN);
    return {
      aim: `${text}: flat from none to the most records`,
      reached: `${ratio.toFixed(2)} times the cost`,
      isMet: ratio <= flatMax,
    };
  });
}
