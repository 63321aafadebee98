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

interface Watched {
  /* The ages of all pieces, in milliseconds, when the turn has ended. */
  turn(prompt: string): Promise<readonly number[]>;
  readonly close: () => void;
}

async function watchThread(talk: Talk): Promise<Watched> {
  const threadId = await talk.createThread();
  let ages: number[] = [];
  let rest = '';
  let ended = Promise.withResolvers<void>();
  const close = await talk.follow(threadId, 0, (event, nowNs) => {
    if (isEnd(event)) ended.resolve();
    const { text } = event.payload;
    if (event.type !== 'delta' || typeof text !== 'string') return;
    const found = stampsOf(text, rest);
    ({ rest } = found);
    for (const stamp of found.stamps) ages.push(Number(nowNs - stamp) / 1e6);
  });
  return {
    turn: async (prompt) => {
      ages = [];
      ended = Promise.withResolvers<void>();
      await talk.prompt(threadId, prompt);
      await ended.promise;
      return ages;
    },
    close,
  };
}

function promptOf({ pieces, intervalMs }: DeltaOptions): string {
  return `${pieces} ${intervalMs * 1_000} ${padding}`;
}

async function streamAll(watched: readonly Watched[], options: DeltaOptions): Promise<number[]> {
  const ages = await Promise.all(watched.map(({ turn }) => turn(promptOf(options))));
  return checked(ages.flat(), options);
}

async function streamBare({ agent }: World, options: DeltaOptions): Promise<number[]> {
  const ages: number[] = [];
  const turn = (): Promise<number> =>
    bareTurn(agent, promptOf(options), (text, nowNs) => {
      for (const stamp of stampsOf(text, '').stamps) ages.push(Number(nowNs - stamp) / 1e6);
    });
  await Promise.all(Array.from({ length: options.turns }, turn));
  return checked(ages, options);
}

/* What arrives is all that was written. */
function checked(ages: number[], { turns, pieces }: DeltaOptions): number[] {
  if (ages.length === turns * pieces) return ages;
  throw new Error(`${ages.length} of ${turns * pieces} pieces have arrived`);
}

function latencyOf(ages: readonly number[]): Latency {
  return { p50: quantile(ages, 0.5), p95: quantile(ages, 0.95), p99: quantile(ages, 0.99) };
}
