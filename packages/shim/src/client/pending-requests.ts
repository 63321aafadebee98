/*
 * Requests that wait for an answer, by id. Ids start at 1 and grow; 0 is for
 * what the shim says by itself. An aborted request is forgotten: its answer,
 * when it comes, is dropped.
 */
import { abortReason } from './settle-within.ts';

export interface PendingRequests<Value> {
  open(signal: AbortSignal | undefined): { readonly id: number; readonly promise: Promise<Value> };
  resolve(id: number, value: Value): void;
  reject(id: number, error: Error): void;
  rejectAll(error: Error): void;
}

interface Entry<Value> {
  readonly resolve: (value: Value) => void;
  readonly reject: (error: Error) => void;
  readonly stopListening: () => void;
}

const idMax = 2 ** 32 - 1;

export function createPendingRequests<Value>(): PendingRequests<Value> {
  const entries = new Map<number, Entry<Value>>();
  let lastId = 0;

  const take = (id: number): Entry<Value> | undefined => {
    const entry = entries.get(id);
    entries.delete(id);
    entry?.stopListening();
    return entry;
  };
  const reject = (id: number, error: Error): void => take(id)?.reject(error);

  return {
    open: (signal) => {
      const { promise, resolve, reject: rejectPromise } = Promise.withResolvers<Value>();
      lastId = lastId === idMax ? 1 : lastId + 1;
      const id = lastId;
      const onAbort = (): void => reject(id, abortReason(signal));
      const stopListening = (): void => signal?.removeEventListener('abort', onAbort);
      entries.set(id, { resolve, reject: rejectPromise, stopListening });
      if (signal?.aborted === true) onAbort();
      else signal?.addEventListener('abort', onAbort, { once: true });
      return { id, promise };
    },
    resolve: (id, value) => take(id)?.resolve(value),
    reject,
    rejectAll: (error) => {
      for (const id of entries.keys()) reject(id, error);
    },
  };
}
