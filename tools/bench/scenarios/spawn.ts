/*
 * Scenarios `spawn`, `spawn-least`, `spawn-heap` and `shield`: how many short commands per second, and what each costs the event
 * loop; in a small process, with a command that costs nothing itself, and in a process with a gigabyte of live heap, whose
 * page tables a fork has to copy; and what the shield of agents adds.
 */
import type { ContenderName } from '../contenders/contender.ts';
import type { ClosedLoopResult } from '../measure/closed-loop.ts';
import { type Aim, aimOfRatio, type Row } from '../report/result.ts';
import { buildLeastProgram } from './least-program.ts';
import type { Scenario, ScenarioDeps } from './scenario.ts';
import { type Crew, openCrew, rowOf, sideBySide } from './side-by-side.ts';

const names: readonly ContenderName[] = [
  'supervisor',
  'child_process',
  'execa',
  'node-pty',
  'supervisor-pty',
];

export const spawnScenario: Scenario = {
  name: 'spawn',
  run: async (deps) => {
    await using crew = await openCrew(deps, names);
    const rows = await rowsOf(deps, crew);
    return { name: 'spawn', title: 'Spawn to exit, small heap', rows, aims: aimsOf(deps, rows) };
  },
};

export const spawnLeastScenario: Scenario = {
  name: 'spawn-least',
  run: async (deps) => {
    const program = buildLeastProgram(deps.makeDir('program'));
    await using crew = await openCrew(deps, names);
    const rows = await rowsOf(deps, crew, program);
    const title = 'Spawn to exit of a program that only exits';
    return { name: 'spawn-least', title, rows, aims: rateAimsOf(deps, rows) };
  },
};

export const spawnHeapScenario: Scenario = {
  name: 'spawn-heap',
  run: async (deps) => {
    await using crew = await openCrew(deps, names);
    const { heapBytes } = deps.sizes;
    for (const worker of crew.workers) await worker.task('hold-heap', { bytes: heapBytes });
    const rows = await rowsOf(deps, crew);
    const title = `Spawn to exit, ${Math.round(heapBytes / 1024 ** 2)} MB of live heap`;
    return { name: 'spawn-heap', title, rows, aims: heapAimsOf(deps, rows) };
  },
};

export const shieldScenario: Scenario = {
  name: 'shield',
  run: async (deps) => {
    await using crew = await openCrew(deps, ['supervisor-shielded', 'supervisor']);
    const rows = await rowsOf(deps, crew);
    const most = deps.sizes.concurrencies.at(-1) ?? 0;
    const aim = aimOfRatio({
      text: `runs at ${most} in a shield: at least 0.9 times those without`,
      row: rowNamed(rows, `runs at ${most}`),
      against: 'supervisor',
      atLeast: 0.9,
    });
    return { name: 'shield', title: 'Spawn to exit in a shield', rows, aims: [aim] };
  },
};

async function rowsOf(
  { sizes, progress }: ScenarioDeps,
  crew: Crew,
  program?: string,
): Promise<readonly Row[]> {
  const named = program === undefined ? {} : { program };
  const rows: Row[] = [];
  for (const concurrency of sizes.concurrencies) {
    progress(`${concurrency} at a time`);
    const { warmUpMs, spawnMs, rounds } = sizes;
    await sideBySide(crew, 1, (worker) =>
      worker.task('spawn', { ...named, concurrency, durationMs: warmUpMs }),
    );
    const results = await sideBySide(crew, rounds, (worker) =>
      worker.task('spawn', { ...named, concurrency, durationMs: spawnMs }),
    );
    rows.push(...rowsAt(concurrency, results));
  }
  return rows;
}

function rowsAt(
  concurrency: number,
  results: ReadonlyMap<string, readonly ClosedLoopResult[]>,
): readonly Row[] {
  const at = `at ${concurrency}`;
  const lower = { unit: 'ms', better: 'lower' } as const;
  return [
    rowOf(results, { measure: `runs ${at}`, unit: '1/s', better: 'higher' }, (r) => r.perSecond),
    rowOf(results, { measure: `latency p50 ${at}`, ...lower }, (r) => r.latencyMs.p50),
    rowOf(results, { measure: `latency p99 ${at}`, ...lower }, (r) => r.latencyMs.p99),
    rowOf(results, { measure: `event loop ${at}`, ...lower }, (r) => r.loopPerItem.loopMs),
    rowOf(results, { measure: `of it CPU ${at}`, ...lower }, (r) => r.loopPerItem.cpuMs),
  ];
}

function rateAimsOf({ sizes }: ScenarioDeps, rows: readonly Row[]): readonly Aim[] {
  const most = sizes.concurrencies.at(-1) ?? 0;
  const row = rowNamed(rows, `runs at ${most}`);
  const aim = (against: ContenderName, atLeast: number): Aim =>
    aimOfRatio({
      text: `runs at ${most}: at least ${atLeast} times ${against}`,
      row,
      against,
      atLeast,
    });
  return [aim('child_process', 2), aim('execa', 4)];
}

function aimsOf(deps: ScenarioDeps, rows: readonly Row[]): readonly Aim[] {
  const { sizes } = deps;
  const loops = sizes.concurrencies.map((concurrency) => ({
    concurrency,
    row: rowNamed(rows, `event loop at ${concurrency}`),
  }));
  return [
    ...rateAimsOf(deps, rows),
    ...loops.map(({ concurrency, row }) =>
      aimOfRatio({
        text: `event loop per spawn at ${concurrency}: at most 1/8 of child_process`,
        row,
        against: 'child_process',
        atLeast: 8,
      }),
    ),
  ];
}

function heapAimsOf({ sizes }: ScenarioDeps, rows: readonly Row[]): readonly Aim[] {
  const most = sizes.concurrencies.at(-1) ?? 0;
  return [
    aimOfRatio({
      text: `runs at ${most} with this heap: at least 6 times child_process`,
      row: rowNamed(rows, `runs at ${most}`),
      against: 'child_process',
      atLeast: 6,
    }),
  ];
}

function rowNamed(rows: readonly Row[], measure: string): Row {
  const row = rows.find((candidate) => candidate.measure === measure);
  if (row === undefined) throw new TypeError(`there is no row "${measure}"`);
  return row;
}
