/*
 * A promise, a limit and a signal: whichever comes first. The timer and the
 * listener are always taken away again, so nothing is left behind.
 */
import { type Clock, orAborted, within } from '@clawdfather/kit';
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
  const awaited = signal === undefined ? promise : orAborted(promise, signal);
  return within(awaited, { clock, ms: limitMs, late: () => fail(limitMs) });
}

function fail(limitMs: number): never {
  throw new ShimError('shim-timeout', `no answer within ${limitMs} ms`, { detail: { limitMs } });
}

export function abortReason(signal: AbortSignal | undefined): Error {
  const reason: unknown = signal?.reason;
  return reason instanceof Error ? reason : new DOMException('aborted', 'AbortError');
}
