/*
 * The scenarios of `bench:agents`: which sizes, which rows, and how they stand against the aims.
 *
 * Each row has the load of the machine beside it (of the last minute, after the rounds): on a machine that others use, latencies are theirs
 * as well, and the bare client shows how much.
 */
import { loadavg } from 'node:os';
import { median } from '../measure/statistics.ts';
import {
  type Aim,
  aimOfRatio,
  aimOfValue,
  cellOf,
  type Row,
  type ScenarioResult,
} from '../report/result.ts';
import { addEvents, addFinished } from './fill-threads.ts';
import { measureAdopt } from './measure-adopt.ts';
import { costOfCommits, cpuOfTurn, databaseOf } from './measure-cost.ts';
import { type Latency, measureDelta } from './measure-delta.ts';
import { measureRate } from './measure-rate.ts';
import { createTalk } from './talk.ts';
import { inWorld } from './world.ts';

export interface Bench {
  readonly directory: string;
  readonly isQuick: boolean;
  readonly progress: (text: string) => void;
}

const ours = 'gateway';
const bare = 'bare client';
const lower = { unit: 'ms', better: 'lower' } as const;

function loadRow(measure = 'load of the machine'): Row {
  const cells = new Map([[ours, cellOf([loadavg()[0] ?? Number.NaN])]]);
  return { measure, unit: '', better: 'neither', cells };
}

export async function benchDelta({ directory, isQuick, progress }: Bench): Promise<ScenarioResult> {
  const rows: Row[] = [];
  const aims: Aim[] = [];
  for (const turns of isQuick ? [1, 4] : [1, 50]) {
    const options = isQuick
      ? { rounds: 1, turns, pieces: 10, intervalMs: 20 }
      : { rounds: 5, turns, pieces: 80, intervalMs: 50 };
    progress(`${turns} turns, ${options.rounds} rounds`);
    const found = await inWorld(directory, `delta-${turns}`, (world) =>
      measureDelta(world, options),
    );
    for (const share of ['p50', 'p95', 'p99'] as const) {
      rows.push({
        measure: `${share}, ${turns} turns`,
        ...lower,
        cells: new Map([
          [ours, cellOf(found.gateway.map((round: Latency) => round[share]))],
          [bare, cellOf(found.bare.map((round: Latency) => round[share]))],
        ]),
      });
    }
    rows.push(loadRow(`load, ${turns} turns`));
    const value = median(found.gateway.map(({ p95 }) => p95));
    const text = `a piece of text, ${turns} turns: p95 at most 30 ms`;
    aims.push(aimOfValue({ text, value, unit: 'ms', atMost: 30 }));
  }
  const title = "From an agent's write to a client's stream, a piece each 50 ms";
  return { name: 'delta', title, rows, aims };
}

export async function benchRate({ directory, isQuick, progress }: Bench): Promise<ScenarioResult> {
  const options = isQuick ? { rounds: 1, updates: 1_000 } : { rounds: 7, updates: 30_000 };
  progress(`${options.updates} updates, ${options.rounds} rounds`);
  const found = await inWorld(directory, 'rate', (world) => measureRate(world, options));
  const row: Row = {
    measure: 'updates',
    unit: '1/s',
    better: 'higher',
    cells: new Map([
      [ours, cellOf(found.gateway)],
      [bare, cellOf(found.bare)],
    ]),
  };
  const cpu: Row = {
    measure: 'processor time per update',
    unit: 'µs',
    better: 'lower',
    cells: new Map([[ours, cellOf(found.cpuUs)]]),
  };
  return {
    name: 'rate',
    title: 'Updates of one agent that writes as fast as it can',
    rows: [row, cpu, loadRow()],
    aims: [aimOfRatio({ text: 'updates: at least 0.5 of bare', row, against: bare, atLeast: 0.5 })],
  };
}

export async function benchAdopt({ directory, isQuick, progress }: Bench): Promise<ScenarioResult> {
  const options = isQuick
    ? { rounds: 1, agents: 5, intervalMs: 50 }
    : { rounds: 5, agents: 200, intervalMs: 500 };
  progress(`${options.agents} agents, ${options.rounds} rounds`);
  const found = await inWorld(directory, 'adopt', (world) => measureAdopt(world, options));
  const row = (measure: string, of: (round: (typeof found)[number]) => number): Row => ({
    measure,
    ...lower,
    cells: new Map([[ours, cellOf(found.map(of))]]),
  });
  const all = row('until all are read on', ({ allMs }) => allMs);
  const value = all.cells.get(ours)?.median ?? Number.NaN;
  const text = `${options.agents} agents after kill -9: all read on within 2 s`;
  return {
    name: 'adopt',
    title: `${options.agents} agents in the middle of a turn, and a gateway that was killed`,
    rows: [
      row('start of the next one', ({ startMs }) => startMs),
      row('until the first is read on', ({ firstMs }) => firstMs),
      all,
      loadRow(),
    ],
    aims: [aimOfValue({ text, value, unit: 'ms', atMost: 2_000 })],
  };
}

export async function benchCost({ directory, isQuick, progress }: Bench): Promise<ScenarioResult> {
  const pieces = isQuick ? 20 : 600;
  const commits = isQuick ? 50 : 2_000;
  const finished = isQuick ? [0, 20] : [0, 1_000, 10_000];
  const lengths = isQuick ? [0, 20] : [0, 10_000, 100_000];
  const found = new Map<string, Awaited<ReturnType<typeof costWith>>>();
  for (const count of finished) {
    progress(`${count} finished threads`);
    const filled = { finished: count, length: 0 };
    found.set(`${count} threads`, await costWith(directory, { ...filled, pieces, commits }));
  }
  for (const length of lengths.slice(1)) {
    progress(`a thread of ${length} events`);
    const filled = { finished: 0, length };
    found.set(`${length} events`, await costWith(directory, { ...filled, pieces, commits }));
  }
  const row = (
    measure: string,
    unit: string,
    of: (cost: Awaited<ReturnType<typeof costWith>>) => number,
  ): Row => ({
    measure,
    unit,
    better: 'lower',
    cells: new Map([...found].map(([name, cost]) => [name, cellOf([of(cost)])])),
  });
  return {
    name: 'cost',
    title: 'What one piece of text costs, as threads are finished and as a thread becomes long',
    rows: [
      row('processor time of the gateway', 'µs', ({ cpuUs }) => cpuUs),
      row('statements of its commit', '', ({ statements }) => statements),
      row('deciding and committing it, p50', 'µs', ({ commitUs }) => commitUs),
    ],
    aims: [],
  };
}

interface Filled {
  readonly finished: number;
  readonly length: number;
  readonly pieces: number;
  readonly commits: number;
}

function costWith(directory: string, { finished, length, pieces, commits }: Filled) {
  return inWorld(directory, `cost-${finished}-${length}`, async (world) => {
    const { path } = databaseOf(world.directory);
    const { accountId, threadId } = await beginIn(world);
    addFinished(path, accountId, finished);
    addEvents(path, threadId, length);
    const cpuUs = await cpuOfTurn(world, { pieces, threadId });
    const other = await costOfCommits(world.directory, { commits: 1 });
    addEvents(path, other.threadId, length);
    const long = await costOfCommits(world.directory, { commits, threadId: other.threadId });
    return { cpuUs, statements: long.statements, commitUs: long.commitUs };
  });
}

/* A database with an account and a thread, and nobody there. */
async function beginIn(world: Parameters<Parameters<typeof inWorld>[2]>[0]) {
  await using server = await world.start();
  using talk = createTalk(server);
  return { accountId: server.said['accountId'] ?? '', threadId: await talk.createThread() };
}
