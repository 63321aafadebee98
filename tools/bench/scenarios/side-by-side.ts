/*
 * The same question to several workers, round by round. The order rotates, so that nobody always comes first, and
 * what the machine's other guests do falls on all alike.
 */
import type { ContenderName } from '../contenders/contender.ts';
import { cellOf, type Row } from '../report/result.ts';
import type { ScenarioDeps } from './scenario.ts';
import { openWorker, type WorkerProcess } from './worker-process.ts';

export interface Crew extends AsyncDisposable {
  readonly workers: readonly WorkerProcess[];
}

export async function openCrew(deps: ScenarioDeps, names: readonly ContenderName[]): Promise<Crew> {
  const workers: WorkerProcess[] = [];
  const dispose = async (): Promise<void> => {
    for (const worker of workers) await worker[Symbol.asyncDispose]();
  };
  try {
    for (const name of names) workers.push(await openWorker(name, deps.makeDir(name)));
  } catch (error) {
    await dispose();
    throw error;
  }
  return { workers, [Symbol.asyncDispose]: dispose };
}

/* Per contender the results of all rounds, in the order of the crew. */
export async function sideBySide<Result>(
  { workers }: Crew,
  rounds: number,
  measure: (worker: WorkerProcess) => Promise<Result>,
): Promise<ReadonlyMap<string, readonly Result[]>> {
  const results = new Map<string, Result[]>(workers.map(({ contender }) => [contender, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (let turn = 0; turn < workers.length; turn += 1) {
      const worker = workers[(turn + round) % workers.length];
      if (worker !== undefined) results.get(worker.contender)?.push(await measure(worker));
    }
  }
  return results;
}

export interface RowText {
  readonly measure: string;
  readonly unit: string;
  readonly better: Row['better'];
}

export function rowOf<Result>(
  results: ReadonlyMap<string, readonly Result[]>,
  text: RowText,
  pick: (result: Result) => number,
): Row {
  const cells = [...results].map(([name, rounds]) => [name, cellOf(rounds.map(pick))] as const);
  return { ...text, cells: new Map(cells) };
}
