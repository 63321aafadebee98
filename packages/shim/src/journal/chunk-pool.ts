/*
 * Large buffers that are used again once their reader says so.
 *
 * Fresh memory for every chunk costs 90 ms of event loop per gigabyte, nearly
 * all of it in giving the pages back. A chunk that is returned is first moved
 * to a new ArrayBuffer, which empties every view of the old one: code that looks
 * at a payload after returning it sees nothing, never another reader's bytes.
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
  /* Ours and out: small reads come from Node's own pool, which others share. */
  const lent = new WeakSet<ArrayBufferLike>();
  /* Chunks of full size pay only if they come back; a reader that never returns gets what it needs. */
  let isReturned = false;

  const lend = (length: number): Buffer => {
    const store = kept.pop();
    const whole = store === undefined ? Buffer.allocUnsafeSlow(chunkBytes) : Buffer.from(store);
    lent.add(whole.buffer);
    return whole.subarray(0, length);
  };

  return {
    chunkBytes,
    take: (length) =>
      isReturned && length <= chunkBytes ? lend(length) : Buffer.allocUnsafeSlow(length),
    give: ({ buffer }) => {
      isReturned = true;
      if (!lent.delete(buffer) || kept.length >= keptMax) return;
      if (buffer instanceof ArrayBuffer) kept.push(buffer.transfer());
    },
  };
}
