/*
 * The newest output frames of a journal, as many as have so many bytes of output together.
 */
import type { JournalPosition } from './cursor.ts';
import { frameHeaderBytes } from './format.ts';

export interface OutputFrame {
  /* Logical. */
  readonly offset: number;
  readonly payloadLength: number;
}

/*
 * From the first frame to the last: what was typed key by key fits, as 500 frames of a byte, and whoever reads it does not read a long
 * stretch of frames that are no output.
 */
const reachBytes = 16 * 1024;

export interface OutputTail {
  readonly frames: readonly OutputFrame[];
  /* Older frames would not stay. */
  readonly isFull: boolean;
  /* Nor would frames before this offset. */
  reachesBefore(offset: number): boolean;
  push(frame: OutputFrame): void;
}

/* At least the newest frame is kept, however long it is. */
export function createTail(bytesMax: number, from: readonly OutputFrame[] = []): OutputTail {
  const frames: OutputFrame[] = [];
  let bytes = 0;
  const last = (): number => frames.at(-1)?.offset ?? 0;
  const push = (frame: OutputFrame): void => {
    frames.push(frame);
    bytes += frame.payloadLength;
    for (;;) {
      const first = frames[0];
      if (first === undefined || first === frame) return;
      const isWanted = bytes - first.payloadLength < bytesMax;
      if (isWanted && frame.offset - first.offset <= reachBytes) return;
      frames.shift();
      bytes -= first.payloadLength;
    }
  };
  for (const frame of from) push(frame);
  return {
    frames,
    get isFull() {
      return bytes >= bytesMax;
    },
    reachesBefore: (offset) => frames.length > 0 && last() - offset > reachBytes,
    push,
  };
}

/* The last so many bytes of output begin at `start`, and end before `end`. Undefined: there are none. */
export function tailRange(
  frames: readonly OutputFrame[],
  bytesMax: number,
): { readonly start: JournalPosition; readonly end: JournalPosition } | undefined {
  const first = frames[0];
  const last = frames.at(-1);
  if (first === undefined || last === undefined) return undefined;
  const bytes = frames.reduce((sum, { payloadLength }) => sum + payloadLength, 0);
  // What is too much is in the first frame.
  const payloadOffset = Math.max(0, bytes - bytesMax);
  const end = last.offset + frameHeaderBytes + last.payloadLength;
  return { start: { offset: first.offset, payloadOffset }, end: { offset: end, payloadOffset: 0 } };
}
