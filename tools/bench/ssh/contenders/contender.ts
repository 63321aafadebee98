/*
 * What each contender can do: run `true` on the host, once or over and over, and know its code.
 */
import { performance } from 'node:perf_hooks';
import { type ClosedLoop, measureClosedLoop } from '../../measure/closed-loop.ts';

export interface Turn {
  readonly p50: number;
  readonly p99: number;
  readonly perSecond: number;
}

export interface SshContender {
  readonly name: string;
  /* The milliseconds of one command. Rejects unless it ran and gave 0, as a turn does. */
  once(): Promise<number>;
  /* When it is over, the next contender has the machine to itself. */
  turn(loop: ClosedLoop): Promise<Turn>;
}

export async function timeOf(run: () => Promise<void>): Promise<number> {
  const sinceMs = performance.now();
  await run();
  return performance.now() - sinceMs;
}

export async function turnOf(loop: ClosedLoop, run: () => Promise<void>): Promise<Turn> {
  const { latencyMs, perSecond } = await measureClosedLoop(loop, run);
  return { p50: latencyMs.p50, p99: latencyMs.p99, perSecond };
}

/* One that works in this process. */
export function createHere(name: string, run: () => Promise<void>): SshContender {
  return { name, once: () => timeOf(run), turn: (loop) => turnOf(loop, run) };
}
