/*
 * The last bytes of a run's output, as they came, with the stream each belongs to.
 *
 * A flood is only copied here, at memory speed; turning it into text is left for the little that is shown in the end.
 * Memory grows with what there is, up to `bytesMax`, as a ring.
 */
export type Stream = 'stdout' | 'stderr';

export interface RawPiece {
  readonly stream: Stream;
  readonly bytes: Uint8Array;
}

export interface RawTail {
  push(stream: Stream, bytes: Uint8Array): void;
  /* All that was pushed, kept or not. */
  readonly totalBytes: number;
  readonly droppedBytes: number;
  /* What is kept, oldest first, cut where the stream changes; without the last `lessBytes`. */
  pieces(lessBytes: number): readonly RawPiece[];
  /* The last bytes of one stream: at most so many, and none of the other stream's. */
  ending(bytesMax: number): Uint8Array;
  clear(): void;
}

const bytesAtFirst = 4_096;

export function createRawTail(bytesMax: number): RawTail {
  let ring = new Uint8Array(Math.min(bytesAtFirst, bytesMax));
  /* Logical offsets: `total` is after the last byte, `first` the oldest that is kept. */
  let total = 0;
  let first = 0;
  /* Where each stretch of one stream begins; the last one is open. */
  let stretches: { readonly stream: Stream; readonly from: number }[] = [];

  /* Offsets stay in place modulo the length, so a ring that grows is laid out anew. */
  const grow = (wanted: number): void => {
    let length = ring.length;
    while (length < Math.min(wanted, bytesMax)) length = Math.min(bytesMax, length * 2);
    if (length === ring.length) return;
    const kept = copy(first, total);
    ring = new Uint8Array(length);
    place(first, kept);
  };
  const place = (at: number, bytes: Uint8Array): void => {
    const start = at % ring.length;
    const head = Math.min(bytes.length, ring.length - start);
    ring.set(bytes.subarray(0, head), start);
    ring.set(bytes.subarray(head), 0);
  };
  const copy = (from: number, to: number): Uint8Array => {
    const bytes = new Uint8Array(to - from);
    const start = from % ring.length;
    const head = Math.min(bytes.length, ring.length - start);
    bytes.set(ring.subarray(start, start + head));
    bytes.set(ring.subarray(0, bytes.length - head), head);
    return bytes;
  };

  return {
    push: (stream, bytes) => {
      if (bytes.length === 0) return;
      if (stretches.at(-1)?.stream !== stream) stretches.push({ stream, from: total });
      grow(total - first + bytes.length);
      const kept = bytes.subarray(Math.max(0, bytes.length - ring.length));
      place(total + bytes.length - kept.length, kept);
      total += bytes.length;
      first = Math.max(first, total - ring.length);
      /* Now and then, so that a stream of single bytes does not shift the list each time. */
      if (stretches.length > 1_024 && (stretches[512]?.from ?? 0) <= first) {
        stretches = stretches.slice(512);
      }
    },
    get totalBytes() {
      return total;
    },
    get droppedBytes() {
      return first;
    },
    pieces: (lessBytes) => {
      const end = Math.max(first, total - lessBytes);
      return stretches.flatMap(({ stream, from }, index) => {
        const start = Math.max(first, from);
        const stop = Math.min(end, stretches[index + 1]?.from ?? end);
        return start < stop ? [{ stream, bytes: copy(start, stop) }] : [];
      });
    },
    ending: (most) => {
      const from = Math.max(first, stretches.at(-1)?.from ?? 0, total - most);
      return copy(from, total);
    },
    clear: () => {
      total = 0;
      first = 0;
      stretches = [];
    },
  };
}
