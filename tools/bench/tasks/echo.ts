/*
 * Task: send one byte, wait until it comes back from a program that echoes.
 *
 * `pauseMs` between round trips: people type with pauses, programs that talk to each other do not.
 */
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Spread, spreadOf } from '../measure/statistics.ts';
import type { TaskContext } from './task-context.ts';

export interface EchoRequest {
  readonly roundTrips: number;
  readonly pauseMs: number;
}

/* Raw, or the terminal would echo by itself and hold back until a line is whole. On pipes stty has nothing to do. */
const command = ['/bin/sh', '-c', 'stty raw -echo 2>/dev/null; echo ready; exec cat'] as const;

export async function measureEcho(
  { contender }: TaskContext,
  { roundTrips, pauseMs }: EchoRequest,
): Promise<Spread> {
  let text = '';
  let wake = (): void => {};
  const started = await contender.start(command, (bytes) => {
    text += Buffer.from(bytes).toString('latin1');
    wake();
  });
  const heard = async (what: RegExp): Promise<void> => {
    while (!what.test(text)) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    text = '';
  };
  await heard(/ready\s/);
  const latencies: number[] = [];
  for (let trip = 0; trip < roundTrips; trip += 1) {
    if (pauseMs > 0) await sleep(pauseMs);
    const sentMs = performance.now();
    started.write('x');
    await heard(/x/);
    latencies.push(performance.now() - sentMs);
  }
  started.kill();
  await started.ended;
  return spreadOf(latencies);
}
