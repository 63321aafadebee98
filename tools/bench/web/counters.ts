/*
 * Chromium's own counters of a page: the time of its main thread, its layouts, and what crossed the network for it. (Its memory:
 * packages/web/test/support/page-memory.ts.)
 */
import type { Session } from './throttle.ts';

export interface Counted {
  /* All of the main thread, in milliseconds. With a slowed processor: slowed. */
  readonly busyMs: number;
  readonly scriptMs: number;
  readonly layouts: number;
}

export async function count(session: Session): Promise<Counted> {
  const { metrics } = await session.send('Performance.getMetrics');
  const of = (name: string): number => metrics.find((one) => one.name === name)?.value ?? 0;
  return {
    busyMs: of('TaskDuration') * 1_000,
    scriptMs: of('ScriptDuration') * 1_000,
    layouts: of('LayoutCount'),
  };
}

export interface Traffic {
  readonly bytes: number;
  readonly requests: number;
}

/* What has come over the network since; answers of a cache do not count. */
export async function watchTraffic(session: Session): Promise<() => Traffic> {
  let bytes = 0;
  let requests = 0;
  await session.send('Network.enable');
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    if (encodedDataLength === 0) return;
    bytes += encodedDataLength;
    requests += 1;
  });
  return () => ({ bytes, requests });
}
