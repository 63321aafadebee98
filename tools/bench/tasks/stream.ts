/*
 * Task: read all that a command writes, as fast as it comes.
 */
import { performance } from 'node:perf_hooks';
import type { Argv } from '../contenders/contender.ts';
import { type LoopTime, perUnit, startLoopTime } from '../measure/loop-time.ts';
import type { TaskContext } from './task-context.ts';

export interface StreamRequest {
  readonly argv: Argv;
  readonly bytes: number;
}

export interface StreamResult {
  readonly gigabytesPerSecond: number;
  readonly loopPerGigabyte: LoopTime;
}

const gigabyte = 1024 ** 3;

export async function measureStream(
  { contender }: TaskContext,
  { argv, bytes }: StreamRequest,
): Promise<StreamResult> {
  let seen = 0;
  const all = Promise.withResolvers<void>();
  const stopLoopTime = startLoopTime();
  const startedMs = performance.now();
  const started = await contender.start(argv, (chunk) => {
    seen += chunk.length;
    if (seen >= bytes) all.resolve();
  });
  await started.ended;
  /* node-pty may tell of the end before the last bytes. */
  await all.promise;
  const tookMs = performance.now() - startedMs;
  const loop = stopLoopTime();
  if (seen !== bytes) throw new Error(`${seen} bytes came instead of ${bytes}`);
  const gigabytes = bytes / gigabyte;
  return {
    gigabytesPerSecond: gigabytes / (tookMs / 1000),
    loopPerGigabyte: perUnit(loop, gigabytes),
  };
}
