/*
 * The scenarios of `bench:agents`: which sizes, which rows, and how they stand against the aims.
 *
 * Each row has the load of the machine beside it (of the last minute, after the rounds): on a machine that others use, latencies are theirs
 * as well, and the bare client shows how much.
 */
import { mkdtempSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
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
import { costOfLooks, type QueueCost } from './measure-queue.ts';
import { measureRate } from './measure-rate.ts';
import { createTalk } from './talk.ts';
import { openWorld, type World } from './world.ts';

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
  for (const turns of isQuick ? [2] : [1, 50]) {
    const options = isQuick
      ? { rounds: 1, turns, pieces: 10, intervalMs: 20 }
      : { rounds: 5, turns, pieces: 120, intervalMs: 50 };
    progress(`${turns} turns, ${options.rounds} rounds`);
    await using world = openWorld(directory, `delta-${turns}`);
    const found = await measureDelta(world, options);
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
  await using world = openWorld(directory, 'rate');
  const found = await measureRate(world, options);
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
  await using world = openWorld(directory, 'adopt');
  const found = await measureAdopt(world, options);
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
  const sizes = isQuick ? { pieces: 20, commits: 50 } : { pieces: 600, commits: 1_000 };
  const rounds = isQuick ? 1 : 3;
  const fills = isQuick
    ? [{ finished: 20, length: 20 }]
    : [{}, { finished: 1_000 }, { finished: 10_000 }, { length: 10_000 }, { length: 100_000 }];
  await using worlds = new AsyncDisposableStack();
  const filled: { readonly name: string; readonly world: FilledWorld; readonly found: Cost[] }[] =
    [];
  for (const fill of fills) {
    const name = nameOf(fill);
    progress(`filling: ${name}`);
    const world = worlds.use(openWorld(directory, `cost-${filled.length}`));
    filled.push({ name, world: await fillWorld(world, fill), found: [] });
  }
  for (let round = 0; round < rounds; round += 1) {
    for (const { name, world, found } of filled) {
      progress(`${name}, round ${round + 1}`);
      found.push(await costIn(world, sizes));
    }
  }
  const row = (measure: string, unit: string, of: (cost: Cost) => number): Row => ({
    measure,
    unit,
    better: 'lower',
    cells: new Map(filled.map(({ name, found }) => [name, cellOf(found.map(of))])),
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

/* What a look at the queue costs, with ever more turns that wait. */
export async function benchQueue({ directory, isQuick, progress }: Bench): Promise<ScenarioResult> {
  const sizes = isQuick ? [10, 100] : [10, 1_000, 10_000];
  const found = new Map<string, QueueCost>();
  for (const waiting of sizes) {
    const name = `${waiting.toLocaleString('en')} wait`;
    progress(name);
    const place = mkdtempSync(join(directory, 'queue-'));
    found.set(name, await costOfLooks(place, { waiting, looks: isQuick ? 20 : 500 }));
  }
  const row = (measure: string, of: (cost: QueueCost) => number): Row => ({
    measure,
    unit: 'µs',
    better: 'lower',
    cells: new Map([...found].map(([name, cost]) => [name, cellOf([of(cost)])])),
  });
  return {
    name: 'queue',
    title: 'What a look at the queue costs, as turns wait in it',
    rows: [
      row('a look for what may run next, p50', ({ lookUs }) => lookUs),
      row('a page of a hundred for people, p50', ({ viewUs }) => viewUs),
    ],
    aims: [],
  };
}

interface Cost {
  readonly cpuUs: number;
  readonly statements: number;
  readonly commitUs: number;
}

interface Fill {
  readonly finished?: number;
  readonly length?: number;
}

interface FilledWorld {
  readonly world: World;
  /* That a gateway speaks in, and that is only written to. */
  readonly spoken: string;
  readonly written: string;
}

function nameOf({ finished, length }: Fill): string {
  if (finished !== undefined) return `${finished} threads`;
  return length === undefined ? 'empty' : `${length} events`;
}

/* Gateways come and go: while the database is filled, none is there. */
async function fillWorld(world: World, { finished = 0, length = 0 }: Fill): Promise<FilledWorld> {
  const { path } = databaseOf(world.directory);
  const spoken = await beginIn(world);
  const { threadId: written } = await costOfCommits(world.directory, { commits: 1 });
  addFinished(path, written, finished);
  for (const threadId of [spoken, written]) {
    addEvents(path, { threadId, like: written, count: length });
  }
  return { world, spoken, written };
}

async function costIn(
  { world, spoken, written }: FilledWorld,
  { pieces, commits }: { readonly pieces: number; readonly commits: number },
): Promise<Cost> {
  const cpuUs = await cpuOfTurn(world, { pieces, threadId: spoken });
  const alone = await costOfCommits(world.directory, { commits, threadId: written });
  return { cpuUs, statements: alone.statements, commitUs: alone.commitUs };
}

async function beginIn(world: World): Promise<string> {
  await using server = await world.start();
  using talk = createTalk(server);
  return await talk.createThread();
}
