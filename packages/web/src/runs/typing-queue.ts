/*
 * What a person types into a run, in the order in which it was typed: one call at a time, and keys that are tapped meanwhile go together with
 * the next one.
 *
 * It is in the memory of this page and nowhere else. What fails takes along all that waits behind it: keys that come late, or with one missing
 * before them, may do something else than they were meant for.
 */
import { deferred, type Deferred } from '@clawdfather/kit';

export interface TypingQueue {
  /* True: it was sent. */
  key(name: string): Promise<boolean>;
  work(send: () => Promise<unknown>): Promise<boolean>;
  /* Nothing that waits is sent. */
  drop(): void;
}

export interface TypingQueueDeps {
  /* One thing that a person does; false: it was not done. */
  readonly run: (send: () => Promise<unknown>) => Promise<boolean>;
  readonly sendKeys: (keys: readonly string[]) => Promise<unknown>;
}

interface Waiting {
  /* Only of keys: more may be added until it is sent. */
  readonly keys?: string[];
  readonly send: () => Promise<unknown>;
  readonly done: Deferred<boolean>;
}

/* More than anyone taps while one call is under way, and less than a call may have. */
const keysMax = 100;

export function createTypingQueue({ run, sendKeys }: TypingQueueDeps): TypingQueue {
  let waiting: Waiting[] = [];
  let isSending = false;
  const drop = (): void => {
    const dropped = waiting;
    waiting = [];
    for (const { done } of dropped) done.resolve(false);
  };
  const pump = async (): Promise<void> => {
    if (isSending) return;
    isSending = true;
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const isDone = await run(next.send);
      if (!isDone) drop();
      next.done.resolve(isDone);
    }
    isSending = false;
  };
  const add = (one: Omit<Waiting, 'done'>): Promise<boolean> => {
    const done = deferred<boolean>();
    waiting.push({ ...one, done });
    void pump();
    return done.promise;
  };
  return {
    key: (name) => {
      const last = waiting.at(-1);
      if (last?.keys === undefined) {
        const keys = [name];
        return add({ keys, send: () => sendKeys(keys) });
      }
      if (last.keys.length >= keysMax) return Promise.resolve(false);
      last.keys.push(name);
      return last.done.promise;
    },
    work: (send) => add({ send }),
    drop,
  };
}
