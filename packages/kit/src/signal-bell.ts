/*
 * An edge-triggered bell: `ring` says "look again", `wait` sleeps until then.
 *
 * Rings coalesce. One that comes while nobody waits is kept, so the pattern
 * "look, then wait" loses nothing that happens in between; ten of them wake
 * once. Several waiters are all woken by one ring.
 */
import { createWaiters } from './waiters.ts';

export interface SignalBell {
  ring(): void;
  /* Resolves at the next ring, or at once if one is kept. Rejects when the signal aborts. */
  wait(signal?: AbortSignal): Promise<void>;
}

export function createSignalBell(): SignalBell {
  const waiters = createWaiters();
  let isRung = false;
  return {
    ring: () => {
      if (waiters.isEmpty) isRung = true;
      else waiters.wakeAll();
    },
    wait: (signal) => {
      if (!isRung || signal?.aborted) return waiters.wait(signal);
      isRung = false;
      return Promise.resolve();
    },
  };
}
