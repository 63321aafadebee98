/*
 * What a page holds in memory, by Chromium's own counters, and what is left of it after going to and fro. Counted after everything unused was
 * collected, so it depends on no clock.
 */
import type { Phone } from './phone.ts';

export type Session = Awaited<ReturnType<Phone['context']['newCDPSession']>>;

async function collect(session: Session): Promise<void> {
  for (let n = 0; n < 3; n += 1) await session.send('HeapProfiler.collectGarbage');
}

/* The session has `Performance` enabled. */
export async function countHeap(session: Session): Promise<number> {
  await collect(session);
  const { metrics } = await session.send('Performance.getMetrics');
  return metrics.find(({ name }) => name === 'JSHeapUsedSize')?.value ?? 0;
}

/* All nodes that are alive, in a document or not. (The command that lists detached ones keeps them alive itself.) */
export async function countNodes(session: Session): Promise<number> {
  await collect(session);
  return (await session.send('Memory.getDOMCounters')).nodes;
}

export interface Left {
  readonly bytes: number;
  /* That are alive and were not before, with the same on the screen. */
  readonly nodes: number;
}

/* What so many visits leave behind. `go` resolves when the one with this number is on the screen; every second one is the same. */
export async function leftAfter(
  session: Session,
  visits: number,
  go: (number: number) => Promise<void>,
): Promise<Left> {
  // Code is compiled and both are kept before it counts.
  for (let number = 0; number < 4; number += 1) await go(number);
  const [bytes, nodes] = [await countHeap(session), await countNodes(session)];
  for (let number = 0; number < visits; number += 1) await go(number);
  return {
    bytes: (await countHeap(session)) - bytes,
    nodes: (await countNodes(session)) - nodes,
  };
}
