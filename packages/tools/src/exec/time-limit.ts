/*
 * A signal that aborts after a time, or when somebody else's does, and says which of the two it was.
 */
import type { Clock } from '@clawdfather/kit';

export interface TimeLimit extends Disposable {
  /* Aborts at the limit, or when one of the outer signals does. */
  readonly signal: AbortSignal;
  readonly isPast: boolean;
  readonly remainingMs: number;
}

export function startTimeLimit(clock: Clock, ms: number, outer: readonly AbortSignal[]): TimeLimit {
  const endsAtMs = clock.monotonicMs() + ms;
  const controller = new AbortController();
  const timer = clock.timer(ms, () => controller.abort(new Error('the time is up')));
  const listeners = outer.map((signal) => {
    const onAbort = (): void => controller.abort(signal.reason);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    return (): void => signal.removeEventListener('abort', onAbort);
  });
  return {
    signal: controller.signal,
    get isPast() {
      return clock.monotonicMs() >= endsAtMs;
    },
    get remainingMs() {
      return Math.max(0, endsAtMs - clock.monotonicMs());
    },
    [Symbol.dispose]: () => {
      timer.cancel();
      for (const forget of listeners) forget();
    },
  };
}
