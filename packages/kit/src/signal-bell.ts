/*
 * An edge-triggered bell: `ring` says "look again", `wait` sleeps until then.
 *
 * Rings coalesce. One that comes while nobody waits is kept, so the pattern
 * "look, then wait" loses nothing that happens in between; ten of them wake
 * once. Several waiters are all woken by one ring.
 */
export interface SignalBell {
  ring(): void;
  /* Resolves at the next ring, or at once if one is kept. Rejects when the signal aborts. */
  wait(signal?: AbortSignal): Promise<void>;
}

export function createSignalBell(): SignalBell {
  const waiters = new Set<() => void>();
  let isRung = false;

  return {
    ring: () => {
      if (waiters.size === 0) {
        isRung = true;
        return;
      }
      const woken = [...waiters];
      waiters.clear();
      for (const wake of woken) wake();
    },
    wait: (signal) => {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      if (signal?.aborted) {
        reject(signal.reason);
        return promise;
      }
      if (isRung) {
        isRung = false;
        resolve();
        return promise;
      }
      const wake = (): void => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      };
      const onAbort = (): void => {
        waiters.delete(wake);
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      waiters.add(wake);
      return promise;
    },
  };
}
