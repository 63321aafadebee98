/*
 * What the client asked and the script has not come to yet, and the answers that the client gave. Both wait for the script
 * and are waited for by it.
 */
import type { Answer, JsonObject, Notification, Request, RpcId } from './messages.ts';

export type Incoming = Request | Notification;

export interface Inbox {
  put(message: Incoming): void;
  /** The first that waits, else the next. */
  take(signal: AbortSignal): Promise<Incoming>;
  /** Takes out the first that waits and is like this, and says whether there was one. */
  remove(isMeant: (message: Incoming) => boolean): boolean;
}

export function createInbox(): Inbox {
  const queue: Incoming[] = [];
  const takers: ((message: Incoming) => void)[] = [];
  return {
    remove: (isMeant) => {
      const index = queue.findIndex(isMeant);
      if (index !== -1) queue.splice(index, 1);
      return index !== -1;
    },
    put: (message) => {
      const taker = takers.shift();
      if (taker === undefined) queue.push(message);
      else taker(message);
    },
    take: async (signal) => {
      const first = queue.shift();
      if (first !== undefined) return first;
      const { promise, resolve } = Promise.withResolvers<Incoming>();
      takers.push(resolve);
      try {
        return await untilAborted(promise, signal);
      } finally {
        const index = takers.indexOf(resolve);
        if (index !== -1) takers.splice(index, 1);
      }
    },
  };
}

export interface Ask {
  readonly id: RpcId;
  readonly answered: Promise<JsonObject>;
}

export interface Asks {
  open(id: RpcId): Ask;
  /** Goes to the oldest open request with this wire id. An answer to none is dropped: it stands in the trace. */
  settle(answer: Answer): void;
}

export function createAsks(): Asks {
  const open: { readonly id: RpcId; readonly resolve: (outcome: JsonObject) => void }[] = [];
  return {
    open: (id) => {
      const { promise, resolve } = Promise.withResolvers<JsonObject>();
      open.push({ id, resolve });
      return { id, answered: promise };
    },
    settle: ({ id, outcome }) => {
      const index = open.findIndex((ask) => ask.id === id);
      if (index !== -1) open.splice(index, 1)[0]?.resolve(outcome);
    },
  };
}

/** What is settled already wins over a signal that was given before. */
export async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason as Error);
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
