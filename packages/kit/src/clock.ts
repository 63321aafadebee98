/*
 * Time, as something that is handed in.
 *
 * Two clocks on purpose: wall time is for people and records, monotonic time
 * is for every deadline and lease (C1). Tests replace both by a clock that
 * moves only when told to, so nothing outside this file calls the real one.
 */
import { deferred } from './deferred.ts';

export interface Timer {
  /* Harmless when the timer has fired or was cancelled before. */
  cancel(): void;
  /* The process may end although this timer is pending. */
  unref(): void;
}

export interface Clock {
  /* Milliseconds since the epoch. May jump in both directions. */
  wallMs(): number;
  /* Milliseconds since some fixed moment. Never goes back. */
  monotonicMs(): number;
  /* Resolves after `ms`, or rejects with the signal's reason as soon as it aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  timer(ms: number, fire: () => void): Timer;
}

/* A browser's or Node's timer holds 31 bits; a longer delay would fire at once. */
const delayMsMax = 2 ** 31 - 1;

export function createSystemClock(): Clock {
  return {
    wallMs: () => Date.now(),
    monotonicMs: () => performance.now(),
    sleep: (ms, signal) => sleepWith(startTimer, ms, signal),
    timer: startTimer,
  };
}

/* The one implementation of `sleep`, shared with fake clocks. */
export function sleepWith(
  start: Clock['timer'],
  ms: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { promise, resolve, reject } = deferred();
  if (signal?.aborted) {
    reject(signal.reason);
    return promise;
  }
  const timer = start(ms, () => {
    signal?.removeEventListener('abort', onAbort);
    resolve();
  });
  function onAbort(): void {
    timer.cancel();
    reject(signal?.reason);
  }
  signal?.addEventListener('abort', onAbort, { once: true });
  return promise;
}

function startTimer(ms: number, fire: () => void): Timer {
  let isReferenced = true;
  let handle: ReturnType<typeof setTimeout>;

  const arm = (remainingMs: number): void => {
    const delayMs = Math.min(remainingMs, delayMsMax);
    handle = setTimeout(() => {
      if (remainingMs > delayMs) arm(remainingMs - delayMs);
      else fire();
    }, delayMs);
    if (!isReferenced) unrefHandle(handle);
  };

  arm(Math.max(0, ms));
  return {
    cancel: () => clearTimeout(handle),
    unref: () => {
      isReferenced = false;
      unrefHandle(handle);
    },
  };
}

/* Browsers return a number, which keeps nothing alive. */
function unrefHandle(handle: unknown): void {
  if (typeof handle === 'object' && handle !== null && 'unref' in handle) {
    (handle as { unref(): void }).unref();
  }
}
