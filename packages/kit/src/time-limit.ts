/*
 * A signal that aborts after a time, or when another one does, and says which of the two it was.
 */
import type { Clock } from './clock.ts';
import { onAbort } from './give-up.ts';

export interface TimeLimit extends Disposable {
  /* Aborts at the limit, or when one of the outer signals does. */
  readonly signal: AbortSignal;
  readonly isPast: boolean;
}

export function startTimeLimit(clock: Clock, ms: number, outer: readonly AbortSignal[]): TimeLimit {
  const endsAtMs = clock.monotonicMs() + ms;
  const controller = new AbortController();
  const timer = clock.timer(ms, () => controller.abort(new Error('the time is up')));
  const listening = outer.map((signal) => onAbort(signal, () => controller.abort(signal.reason)));
  return {
    signal: controller.signal,
    get isPast() {
      return clock.monotonicMs() >= endsAtMs;
    },
    [Symbol.dispose]: () => {
      timer.cancel();
      for (const stop of listening) stop();
    },
  };
}
