/*
 * Large buffers that are used again once their reader says so.
 *
 * Fresh memory for every chunk costs 90 ms of event loop per gigabyte, nearly
 * all of it in giving the pages back. A chunk that is returned is first moved
 * to a new ArrayBuffer, which empties every view of the old one: whoever looks
 * at a payload after returning it sees nothing, never somebody else's bytes.
 */
export interface ChunkPool {
  readonly chunkBytes: number;
  /* Of exactly this length; its content is arbitrary. */
  take(length: number): Buffer;
  /* Takes back what `take` gave; anything else is left to the garbage collector. */
  give(chunk: Buffer): void;
}

export interface ChunkPoolLimits {
  readonly chunkBytes?: number | undefined;
  readonly keptBytesMax?: number | undefined;
}

/* Four of the largest frames. Half of it costs a third more event loop per gigabyte. */
const chunkBytesDefault = 4 * 1024 * 1024;
/* A few readers in the middle of a flood; more of them fall back on fresh memory. */
const keptBytesDefault = 16 * 1024 * 1024;

export function createChunkPool(limits: ChunkPoolLimits = {}): ChunkPool {
  const chunkBytes = limits.chunkBytes ?? chunkBytesDefault;
  const keptMax = Math.floor((limits.keptBytesMax ?? keptBytesDefault) / chunkBytes);
  const kept: ArrayBuffer[] = [];
  return {
    chunkBytes,
    take: (length) => {
      const store = length <= chunkBytes ? kept.pop() : undefined;
      return store === undefined ? Buffer.allocUnsafeSlow(length) : Buffer.from(store, 0, length);
    },
    give: (chunk) => {
      const store = chunk.buffer;
      if (kept.length === keptMax || store.byteLength !== chunkBytes) return;
      if (store instanceof ArrayBuffer) kept.push(store.transfer());
    },
  };
}
