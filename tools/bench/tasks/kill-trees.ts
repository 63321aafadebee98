/*
 * Task: start a tree of five processes, two of which have left the session by a double fork; kill it; count who lives.
 *
 * Each process tells its pid and then lets go of the output, so that nobody has to wait for a survivor's pipe.
 * Survivors are ended here, by pid and start time.
 */
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { endProcess, isAlive, seeProcess, type SeenProcess } from '../measure/processes.ts';
import { type Spread, spreadOf } from '../measure/statistics.ts';
import type { TaskContext } from './task-context.ts';

export interface KillResult {
  readonly trials: number;
  /* Trials after which something lived. */
  readonly dirtyTrials: number;
  readonly survivors: number;
  /* Until the contender said that it is over. */
  readonly latencyMs: Spread;
}

const treeSize = 5;
const script = `
member='echo $$; exec sleep 600 </dev/null >/dev/null 2>&1'
sh -c "$member" & sh -c "$member" &
(setsid sh -c "$member" &) ; (setsid sh -c "$member" &)
echo $$
wait`;
const command = ['/bin/sh', '-c', script] as const;

/* For those who were told and have not gone yet. */
const stragglerMs = 200;
const lookMs = 2;

export async function measureKillTrees(
  context: TaskContext,
  { trials }: { readonly trials: number },
): Promise<KillResult> {
  const latencies: number[] = [];
  const survivorsPerTrial: number[] = [];
  for (let trial = 0; trial < trials; trial += 1) {
    const { latencyMs, survivors } = await killOneTree(context);
    latencies.push(latencyMs);
    survivorsPerTrial.push(survivors);
  }
  return {
    trials,
    dirtyTrials: survivorsPerTrial.filter((count) => count > 0).length,
    survivors: survivorsPerTrial.reduce((sum, count) => sum + count, 0),
    latencyMs: spreadOf(latencies),
  };
}

async function killOneTree({ contender }: TaskContext): Promise<{
  readonly latencyMs: number;
  readonly survivors: number;
}> {
  let text = '';
  const { promise: isWhole, resolve } = Promise.withResolvers<void>();
  const started = await contender.start(command, (bytes) => {
    text += Buffer.from(bytes).toString('latin1');
    if (text.split('\n').length > treeSize) resolve();
  });
  await isWhole;
  const members = text
    .trim()
    .split(/\s+/)
    .map((word) => seeProcess(Number(word)))
    .filter((seen) => seen !== undefined);
  if (members.length !== treeSize) throw new Error(`a tree of ${members.length} processes`);
  const killedMs = performance.now();
  started.kill();
  await started.ended;
  const latencyMs = performance.now() - killedMs;
  const survivors = await survivorsOf(members);
  for (const survivor of survivors) endProcess(survivor);
  return { latencyMs, survivors: survivors.length };
}

async function survivorsOf(members: readonly SeenProcess[]): Promise<readonly SeenProcess[]> {
  const untilMs = performance.now() + stragglerMs;
  for (;;) {
    const alive = members.filter(isAlive);
    if (alive.length === 0 || performance.now() > untilMs) return alive;
    await sleep(lookMs);
  }
}
