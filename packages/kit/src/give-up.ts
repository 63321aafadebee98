/*
 * Waiting for a promise only until a signal aborts or a time is over. The work behind the promise goes on; its result or its
 * failure is then ignored. The timer and the listener are always removed.
 */
import type { Clock } from './clock.ts';
import { deferred } from './deferred.ts';

/* Rejects with the signal's reason when it aborts first. */
export async function orAborted<Value>(
  promise: Promise<Value>,
  signal: AbortSignal,
): Promise<Value> {
  const { promise: aborted, reject } = deferred<never>();
  const stop = onAbort(signal, () => reject(signal.reason));
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    stop();
  }
}

/* Undefined when the signal aborts first. */
export async function unlessAborted<Value>(
  promise: Promise<Value>,
  signal: AbortSignal,
): Promise<Value | undefined> {
  const { promise: aborted, resolve } = deferred<undefined>();
  const stop = onAbort(signal, () => resolve(undefined));
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    stop();
  }
}

export interface Limit<Late> {
  readonly clock: Pick<Clock, 'timer'>;
  readonly ms: number;
  /* What is answered, or thrown, when the time is over first. */
  readonly late: () => Late;
}

export async function within<Value, Late>(
  promise: Promise<Value>,
  { clock, ms, late }: Limit<Late>,
): Promise<Value | Late> {
  const { promise: over, resolve } = deferred<typeof timeIsOver>();
  const timer = clock.timer(ms, () => resolve(timeIsOver));
  try {
    const first = await Promise.race([promise, over]);
    return first === timeIsOver ? late() : first;
  } finally {
    timer.cancel();
  }
}

const timeIsOver = Symbol('the time is over');

/* At once for a signal that has aborted. Call the result to stop listening. */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  if (signal.aborted) listener();
  else signal.addEventListener('abort', listener, { once: true });
  return () => signal.removeEventListener('abort', listener);
}

/*
 * `inner` aborts when `outer` does, too. `AbortSignal.any` is too new for some browsers that the app works in, and its result can only be
 * let go of by the collector; here the result is called to stop listening, so an outer signal that lives long gathers nothing.
 */
export function abortWith(outer: AbortSignal | undefined, inner: AbortController): () => void {
  return outer === undefined ? () => {} : onAbort(outer, () => inner.abort(outer.reason));
}
