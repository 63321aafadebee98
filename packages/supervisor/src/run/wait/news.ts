/*
 * "Something happened": a counter that readers compare, and a wake-up for those who wait.
 *
 * Unlike a bell it serves any number of readers: each remembers the count it looked at, so none can take a ring
 * away from another, and what happens between a look and a wait is never missed.
 */
import { createWaiters } from '@clawdfather/kit';
import type { DoorbellAnswer } from '@clawdfather/shim';

export interface News {
  readonly count: number;
  /* The doorbell, when it was the last news: how long the journal is, so up to there nothing is missed without looking. */
  readonly bell: DoorbellAnswer | undefined;
  post(bell?: DoorbellAnswer): void;
  /* Resolves when the count differs from `seen`; at once if it does already. */
  changed(seen: number, signal?: AbortSignal): Promise<void>;
}

export function createNews(): News {
  const waiters = createWaiters();
  let count = 0;
  let lastBell: DoorbellAnswer | undefined;
  return {
    get count() {
      return count;
    },
    get bell() {
      return lastBell;
    },
    post: (bell) => {
      count += 1;
      lastBell = bell;
      waiters.wakeAll();
    },
    changed: (seen, signal) =>
      count === seen || signal?.aborted ? waiters.wait(signal) : Promise.resolve(),
  };
}
