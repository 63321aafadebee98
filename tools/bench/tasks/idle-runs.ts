/*
 * Tasks around many commands that only wait: what they cost in memory, and runs for others to adopt.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { ignoreOutput } from '../contenders/contender.ts';
import { spawnInputOf } from '../contenders/supervised.ts';
import { parentOf, pssBytes } from '../measure/processes.ts';
import { supervisorOf, type TaskContext } from './task-context.ts';

export interface IdleMemory {
  readonly runs: number;
  /* Shims and spawnd; none for peers. */
  readonly pssPerRunBytes: number;
  readonly heapPerRunBytes: number;
  readonly rssPerRunBytes: number;
}

const command = ['/bin/cat'] as const;
const startsAtOnce = 32;
const warmUpRuns = 64;
/* After a start pages are still being touched. */
const settleMs = 500;

export async function measureIdleMemory(
  context: TaskContext,
  { runs }: { readonly runs: number },
): Promise<IdleMemory> {
  for (let run = 0; run < warmUpRuns; run += 1) await context.contender.run(['/bin/true']);
  const before = memoryNow();
  await startIdleRuns(context, { runs });
  await sleep(settleMs);
  const after = memoryNow();
  const pss = supervisorProcessesOf(context).reduce((sum, pid) => sum + pssBytes(pid), 0);
  await endIdleRuns(context);
  return {
    runs,
    pssPerRunBytes: pss / runs,
    heapPerRunBytes: (after.heapBytes - before.heapBytes) / runs,
    rssPerRunBytes: (after.rssBytes - before.rssBytes) / runs,
  };
}

/* Nobody reads their output: for ours that is the journal's job. */
export async function startIdleRuns(
  { contender, supervisor, idle }: TaskContext,
  { runs }: { readonly runs: number },
): Promise<void> {
  let left = runs;
  const lane = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      if (supervisor === undefined) idle.push(await contender.start(command, ignoreOutput));
      else await supervisor.spawn(spawnInputOf(command, false));
    }
  };
  await Promise.all(Array.from({ length: startsAtOnce }, lane));
}

export async function endIdleRuns({ supervisor, idle }: TaskContext): Promise<void> {
  for (const started of idle) started.kill();
  await Promise.all(idle.map(({ ended }) => ended));
  idle.length = 0;
  if (supervisor === undefined) return;
  const live = supervisor.list({ states: ['starting', 'running', 'exiting'], limit: 1_000_000 });
  await Promise.all(
    live.map(async ({ runId }) => {
      const run = await supervisor.attach(runId);
      await run.cancel();
      await run.wait();
    }),
  );
}

function supervisorProcessesOf(context: TaskContext): readonly number[] {
  if (context.supervisor === undefined) return [];
  const live = supervisorOf(context).list({ states: ['running'], limit: 1_000_000 });
  const shims = live.flatMap(({ shimPid }) => (shimPid === undefined ? [] : [shimPid]));
  const spawnds = shims.flatMap((pid) => parentOf(pid) ?? []).filter((pid) => pid > 1);
  return [...new Set([...shims, ...spawnds])];
}

function memoryNow(): { readonly heapBytes: number; readonly rssBytes: number } {
  const collect = globalThis.gc;
  if (collect === undefined) throw new Error('run with --expose-gc');
  collect();
  collect();
  const { heapUsed, external, rss } = process.memoryUsage();
  return { heapBytes: heapUsed + external, rssBytes: rss };
}
