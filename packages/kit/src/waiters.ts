/*
 * Those who sleep until something happens. All of them are woken at once; one that gives up is forgotten.
 */
import { deferred } from './deferred.ts';

export interface Waiters {
  readonly isEmpty: boolean;
  /* Resolves with the next `wakeAll`. Rejects with the signal's reason when it aborts first. */
  wait(signal?: AbortSignal): Promise<void>;
  wakeAll(): void;
}

export function createWaiters(): Waiters {
  /* Made by the first one: there may be thousands of us, with nobody asleep. */
  let sleeping: Set<() => void> | undefined;
  return {
    get isEmpty() {
      return sleeping === undefined;
    },
    wait: (signal) => {
      const { promise, resolve, reject } = deferred();
      if (signal?.aborted) {
        reject(signal.reason);
        return promise;
      }
      const wake = (): void => {
        signal?.removeEventListener('abort', giveUp);
        resolve();
      };
      const giveUp = (): void => {
        sleeping?.delete(wake);
        if (sleeping?.size === 0) sleeping = undefined;
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', giveUp, { once: true });
      sleeping ??= new Set();
      sleeping.add(wake);
      return promise;
    },
    wakeAll: () => {
      const woken = sleeping;
      sleeping = undefined;
      if (woken !== undefined) for (const wake of woken) wake();
    },
  };
}
