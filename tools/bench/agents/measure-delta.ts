/*
 * How old a piece of text is when it is here: from the agent's write to the bytes at a client's stream, through shim, journal, database and
 * gateway; in turns with the protocol's own client on the same agent's pipe.
 */
import { quantile } from '../measure/statistics.ts';
import { bareTurn } from './bare-client.ts';
import { createTalk, isEnd, stampsOf, type Talk } from './talk.ts';
import type { World } from './world.ts';

export interface DeltaOptions {
  readonly rounds: number;
  /* How many turns stream at a time. */
  readonly turns: number;
  /* Of each turn, one every `intervalMs`. */
  readonly pieces: number;
  readonly intervalMs: number;
}

export interface Latency {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

export interface DeltaRounds {
  readonly gateway: readonly Latency[];
  readonly bare: readonly Latency[];
}

const padding = 20;

export async function measureDelta(world: World, options: DeltaOptions): Promise<DeltaRounds> {
  await using server = await world.start();
  using talk = createTalk(server);
  const watched = await Promise.all(Array.from({ length: options.turns }, () => watchThread(talk)));
  const gateway: Latency[] = [];
  const bare: Latency[] = [];
  try {
    // The first round warms up: agents are started, code is compiled.
    for (let round = 0; round <= options.rounds; round += 1) {
      gateway.push(latencyOf(await streamAll(watched, options)));
      bare.push(latencyOf(await streamBare(world, options)));
    }
  } finally {
    for (const { close } of watched) close();
  }
  return { gateway: gateway.slice(1), bare: bare.slice(1) };
}

/* One piece: when it was written, and when it was here (CLOCK_MONOTONIC). */
interface Piece {
  readonly writtenNs: bigint;
  readonly hereNs: bigint;
}

interface Watched {
  /* All pieces of the turn, in their order. */
  readonly turn: (prompt: string) => Promise<readonly Piece[]>;
  readonly close: () => void;
}

async function watchThread(talk: Talk): Promise<Watched> {
  const threadId = await talk.createThread();
  let pieces: Piece[] = [];
  let rest = '';
  let ended = Promise.withResolvers<void>();
  const close = await talk.follow(threadId, 0, (event, hereNs) => {
    if (isEnd(event)) ended.resolve();
    const { text } = event.payload;
    if (event.type !== 'delta' || typeof text !== 'string') return;
    const found = stampsOf(text, rest);
    ({ rest } = found);
    for (const writtenNs of found.stamps) pieces.push({ writtenNs, hereNs });
  });
  return {
    turn: async (prompt) => {
      pieces = [];
      ended = Promise.withResolvers<void>();
      await talk.prompt(threadId, prompt);
      await ended.promise;
      return pieces;
    },
    close,
  };
}

function promptOf({ pieces, intervalMs }: DeltaOptions): string {
  return `${pieces} ${intervalMs * 1_000} ${padding}`;
}

async function streamAll(watched: readonly Watched[], options: DeltaOptions): Promise<number[]> {
  const turns = await Promise.all(watched.map(({ turn }) => turn(promptOf(options))));
  return agesOf(turns, options);
}

async function streamBare({ agent }: World, options: DeltaOptions): Promise<number[]> {
  const turn = async (): Promise<readonly Piece[]> => {
    const pieces: Piece[] = [];
    await bareTurn(agent, promptOf(options), (text, hereNs) => {
      for (const writtenNs of stampsOf(text, '').stamps) pieces.push({ writtenNs, hereNs });
    });
    return pieces;
  };
  const turns = await Promise.all(Array.from({ length: options.turns }, turn));
  return agesOf(turns, options);
}

/* In milliseconds, of what was written while all turns were streaming: not while others were still being started, or had ended. */
function agesOf(turns: readonly (readonly Piece[])[], { pieces }: DeltaOptions): number[] {
  const incomplete = turns.find((turn) => turn.length !== pieces);
  if (incomplete !== undefined) throw new Error(`${incomplete.length} of ${pieces} have arrived`);
  const fromNs = latest(turns.map(([first]) => first?.hereNs ?? 0n));
  const toNs = -latest(turns.map((turn) => -(turn.at(-1)?.writtenNs ?? 0n)));
  const all = turns.flat();
  const during = all.filter(({ writtenNs }) => writtenNs >= fromNs && writtenNs <= toNs);
  // Turns as short as those of a quick run may not meet at all.
  const counted = during.length > 0 ? during : all;
  return counted.map(({ writtenNs, hereNs }) => Number(hereNs - writtenNs) / 1e6);
}

function latest(times: readonly bigint[]): bigint {
  return times.reduce((last, time) => (time > last ? time : last));
}

function latencyOf(ages: readonly number[]): Latency {
  return { p50: quantile(ages, 0.5), p95: quantile(ages, 0.95), p99: quantile(ages, 0.99) };
}
