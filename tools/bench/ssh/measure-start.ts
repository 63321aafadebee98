/*
 * From nothing to a connection that takes commands, beside the whole of a fresh `ssh host true`, in turns.
 */
import { openMaster } from '@clawdfather/ssh';
import type { SshContender } from './contenders/contender.ts';
import { clock, type World } from './world.ts';

export interface StartRound {
  readonly oursMs: number;
  readonly freshMs: number;
}

export async function measureStart(
  world: World,
  fresh: SshContender,
  rounds: number,
): Promise<readonly StartRound[]> {
  const found: StartRound[] = [];
  // The first round warms up.
  for (let round = 0; round <= rounds; round += 1) {
    const isOursFirst = round % 2 === 0;
    const before = isOursFirst ? await timeStart(world) : 0;
    const freshMs = await fresh.once();
    const oursMs = isOursFirst ? before : await timeStart(world);
    if (round > 0) found.push({ oursMs, freshMs });
  }
  return found;
}

async function timeStart({ masterDeps, masterRequest }: World): Promise<number> {
  const hooks = { endCommands: async () => {}, failCommands: () => {}, changed: () => {} };
  const { signal } = new AbortController();
  const sinceMs = clock.monotonicMs();
  const master = openMaster(masterDeps, masterRequest, { hooks, signal });
  const started = await master.started;
  const tookMs = clock.monotonicMs() - sinceMs;
  if (started !== 'live') throw new Error(`the master did not start: ${started.cause}`);
  await master.drain('closed');
  return tookMs;
}
