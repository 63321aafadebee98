/*
 * How long something is still waited for after a person has given it up: a few seconds, so that it can be taken back, and no more.
 */
import { type Clock, onAbort, type Timer } from '@clawdfather/kit';

const patienceMs = 5_000;

export interface Patience extends Disposable {
  /* Aborts when nothing is waited for any more. */
  readonly over: AbortSignal;
}

export function openPatience(clock: Pick<Clock, 'timer'>, givenUp: AbortSignal): Patience {
  const over = new AbortController();
  let timer: Timer | undefined;
  const stop = onAbort(givenUp, () => {
    timer = clock.timer(patienceMs, () => over.abort(new Error('the gateway does not answer')));
  });
  return {
    over: over.signal,
    [Symbol.dispose]: () => {
      stop();
      timer?.cancel();
    },
  };
}

/* For the person, when it could not be taken back. */
export function formatMayStart(flag: string): string {
  return `clf: the gateway does not answer; the command may still start, see: clf ps${flag}\n`;
}
