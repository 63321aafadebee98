/*
 * One positional read of a segment into a buffer of its own (R1 of the reader).
 *
 * A small one is synchronous: what was just written is in the page cache, and
 * a trip through the thread pool costs ten times the read. A large one is not,
 * as it may wait for the disk. Few large reads keep the event loop free: the
 * thread copies a megabyte while the loop does other work.
 */
import { read, readSync } from 'node:fs';
import type { ChunkPool } from './chunk-pool.ts';

/* A memcpy of a few microseconds; a screenful of any terminal fits. */
export const syncBytesMax = 32 * 1024;

export interface ChunkRequest {
  readonly fd: number;
  readonly position: number;
  readonly length: number;
  /* Where large buffers come from. */
  readonly pool: ChunkPool;
}

/* Shorter than asked for only if the file is. */
export function fetchChunk(request: ChunkRequest): Buffer | Promise<Buffer> {
  return request.length <= syncBytesMax ? fetchNow(request) : fetchLater(request);
}

function fetchNow({ fd, position, length }: ChunkRequest): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  let done = 0;
  while (done < length) {
    const count = readSync(fd, bytes, done, length - done, position + done);
    if (count === 0) break;
    done += count;
  }
  return done === length ? bytes : bytes.subarray(0, done);
}

function fetchLater({ fd, position, length, pool }: ChunkRequest): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const bytes = pool.take(length);
  let done = 0;
  const step = (): void => {
    read(fd, bytes, done, length - done, position + done, (error, count) => {
      if (error !== null) return reject(error);
      done += count;
      if (done === length) return resolve(bytes);
      return count === 0 ? resolve(bytes.subarray(0, done)) : step();
    });
  };
  step();
  return promise;
}
