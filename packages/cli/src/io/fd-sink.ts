/*
 * Writing to a descriptor we were given, without changing it and without
 * standing still.
 *
 * process.stdout is not used for this: on Linux it writes pipes synchronously,
 * so `clf run … | less` would freeze the whole process, heartbeats included,
 * while less waits for a key. Making the descriptor non-blocking is no way out
 * either, as the open file is shared with other programs (cat would fail with
 * EAGAIN). So writes go through the thread pool, one at a time, and a
 * descriptor that somebody else made non-blocking is tried again.
 */
import { write } from 'node:fs';
import type { Clock } from '@clawdfather/kit';
import type { Sink } from './io.ts';

/* Between two attempts on a full non-blocking pipe: unnoticeable, and no spinning. */
const retryMs = 5;

/* One write(2) at most: a blocked one of this size is what a second Ctrl-C has to wait for. */
const bytesPerWriteMax = 256 * 1_024;

export interface FdSinkOptions {
  readonly fd: number;
  readonly isTerminal: boolean;
  readonly clock: Clock;
}

export function createFdSink(options: FdSinkOptions): Sink {
  let tail: Promise<void> = Promise.resolve();
  const writeAll = async (bytes: Uint8Array): Promise<void> => {
    let rest = bytes;
    while (rest.length > 0) {
      const written = await writeSome(options.fd, rest.subarray(0, bytesPerWriteMax));
      if (written === undefined) await options.clock.sleep(retryMs);
      else rest = rest.subarray(written);
    }
  };
  return {
    isTerminal: options.isTerminal,
    write: (data) => {
      const bytes = typeof data === 'string' ? Buffer.from(data) : data;
      // A failed write fails itself, not the ones that come after it.
      const result = tail.then(() => writeAll(bytes));
      tail = result.catch(() => {});
      return result;
    },
  };
}

/* Undefined: not now. */
function writeSome(fd: number, bytes: Uint8Array): Promise<number | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  write(fd, bytes, (error, written) => {
    if (error === null) resolve(written);
    else if (error.code === 'EAGAIN') resolve(undefined);
    else reject(error);
  });
  return promise;
}
