/*
 * Updates per second of one agent that writes as fast as it can: until the turn's end is at a client's stream, against the protocol's own
 * client on the agent's pipe, in turns.
 */
import { cpuUsOf, type ServerProcess } from '../gateway/server-process.ts';
import { bareTurn } from './bare-client.ts';
import { createTalk, isEnd, type Talk } from './talk.ts';
import type { World } from './world.ts';

export interface RateOptions {
  readonly rounds: number;
  readonly updates: number;
}

export interface RateRounds {
  readonly gateway: readonly number[];
  readonly bare: readonly number[];
  /* Microseconds of the gateway's processor time per update. */
  readonly cpuUs: readonly number[];
}

const padding = 40;

export async function measureRate(world: World, options: RateOptions): Promise<RateRounds> {
  const { rounds, updates } = options;
  const prompt = `${updates} 0 ${padding}`;
  await using server = await world.start();
  using talk = createTalk(server);
  const threadId = await talk.createThread();
  const gateway: number[] = [];
  const bare: number[] = [];
  const cpuUs: number[] = [];
  let after = 0;
  for (let round = 0; round <= rounds; round += 1) {
    const ours = await streamOnce({ talk, server, threadId, after, prompt, updates });
    ({ after } = ours);
    const bareMs = await bareTurn(world.agent, prompt);
    if (round === 0) continue;
    gateway.push((updates / ours.tookMs) * 1_000);
    cpuUs.push(ours.cpuUs / updates);
    bare.push((updates / bareMs) * 1_000);
  }
  return { gateway, bare, cpuUs };
}

interface Stream {
  readonly talk: Talk;
  readonly server: ServerProcess;
  readonly threadId: string;
  readonly after: number;
  readonly prompt: string;
  readonly updates: number;
}

async function streamOnce({ talk, server, threadId, after, prompt, updates }: Stream) {
  const { promise, resolve } = Promise.withResolvers<void>();
  let pieces = 0;
  let last = after;
  const close = await talk.follow(threadId, after, (event) => {
    last = event.seq;
    const { text } = event.payload;
    if (event.type === 'delta' && typeof text === 'string') pieces += text.split('\n').length - 1;
    if (isEnd(event)) resolve();
  });
  const cpuBefore = cpuUsOf(server.pid);
  const sinceNs = process.hrtime.bigint();
  await talk.prompt(threadId, prompt);
  await promise;
  const tookMs = Number(process.hrtime.bigint() - sinceNs) / 1e6;
  const cpuUs = cpuUsOf(server.pid) - cpuBefore;
  close();
  if (pieces !== updates) throw new Error(`${pieces} of ${updates} updates have arrived`);
  return { tookMs, cpuUs, after: last };
}
