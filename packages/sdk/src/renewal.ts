/*
 * What an attempt that is under way, or the wait for the next one, is cut short by: somebody who knows better, such as a page that was asleep or a
 * person with a button, and the end of it all.
 */
import { onAbort } from '@clawdfather/kit';
import type { FollowOptions } from './follow-events.ts';

export interface Renewal {
  /* Of what is under way: aborted by a renewal and by the end of it all. After a renewal there is a new one. */
  next(): AbortSignal;
  stop(): void;
}

export function createRenewal({
  renewals,
  signal,
}: Pick<FollowOptions, 'renewals' | 'signal'>): Renewal {
  let current = new AbortController();
  const stop = renewals?.(() => current.abort());
  const leave = signal && onAbort(signal, () => current.abort(signal.reason));
  return {
    next: () => {
      if (current.signal.aborted) current = new AbortController();
      return current.signal;
    },
    stop: () => {
      stop?.();
      leave?.();
    },
  };
}
