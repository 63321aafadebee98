/*
 * Writes to a stream one after the other and waits until the kernel has each write, so that an exit or a signal right
 * after it takes nothing away. A writer can be held for a message in several pieces, so that no other message gets
 * between them.
 */
import type { Writable } from 'node:stream';

export interface LineWriter {
  /** One write, after all that were begun before it. */
  write(bytes: Buffer): Promise<void>;
  /** Several writes with nothing of others between. */
  hold(job: (write: (bytes: Buffer) => Promise<void>) => Promise<void>): Promise<void>;
}

export function createLineWriter(stream: Writable): LineWriter {
  let tail = Promise.resolve();
  const put = (bytes: Buffer): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    /* A reader that has gone is noticed by the stream's `error` event; what was to be said is lost either way. */
    stream.write(bytes, () => resolve());
    return promise;
  };
  const hold: LineWriter['hold'] = (job) => {
    const done = tail.then(() => job(put));
    /* A job that failed tells its own caller; those who wait behind it go on. */
    tail = done.catch(() => undefined);
    return done;
  };
  return { hold, write: (bytes) => hold((write) => write(bytes)) };
}
