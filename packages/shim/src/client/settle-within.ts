/*
 * A promise, a limit and a signal: whichever comes first. The timer and the
 * listener are always taken away again, so nothing is left behind.
 */
import type { Clock } from '@clawdfather/kit';
import { ShimError } from '../errors.ts';

export interface WaitLimit {
  readonly clock: Clock;
  readonly limitMs: number;
  readonly signal?: AbortSignal | undefined;
}

/* Rejects with `shim-timeout`, or with the signal's reason. */
export async function settleWithin<Value>(
  promise: Promise<Value>,
  { clock, limitMs, signal }: WaitLimit,
): Promise<Value> {
  const early = Promise.withResolvers<never>();
  const onAbort = (): void => early.reject(abortReason(signal));
  const timer = clock.timer(limitMs, () => {
    const detail = { limitMs };
    early.reject(new ShimError('shim-timeout', `no answer within ${limitMs} ms`, { detail }));
  });
  if (signal?.aborted === true) onAbort();
  else signal?.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([promise, early.promise]);
  } finally {
    timer.cancel();
    signal?.removeEventListener('abort', onAbort);
  }
}

export function abortReason(signal: AbortSignal | undefined): Error {
  const reason: unknown = signal?.reason;
  return reason instanceof Error ? reason : new DOMException('aborted', 'AbortError');
}
