/*
 * A journal on paper: frames at the offsets that a real one would give them, read from any cursor, also from inside a frame.
 */
import { formatCursor, parseCursor, positionAfter } from '@clawdfather/shim';
import type { AcceptedEvent, Cursor, OutputEvent } from '@clawdfather/supervisor';

export type Said =
  | { readonly stream: 'stdout' | 'stderr'; readonly bytes: Buffer }
  | { readonly accepted: number };

const headerBytes = positionAfter({
  offset: 0,
  payloadOffset: 0,
  payloadLength: 0,
  payload: Buffer.alloc(0),
}).offset;

export type PaperEvent = Extract<OutputEvent, { kind: 'output' }> | AcceptedEvent;

export function createPaperJournal(said: readonly Said[]) {
  let offset = 0;
  const frames = said.map((one, index) => {
    const start = offset;
    const length = 'accepted' in one ? 20 : one.bytes.length;
    offset += headerBytes + length;
    return { ...one, start, end: offset, atMs: 1_000 + index };
  });
  return {
    /* From an edge of a message, or any other cursor. */
    readFrom: (cursor: Cursor): readonly PaperEvent[] => {
      const at = parseCursor(cursor);
      return frames.flatMap((frame): PaperEvent[] => {
        if (frame.end <= at.offset) return [];
        const { atMs } = frame;
        const after = formatCursor({ offset: frame.end, payloadOffset: 0 }) as Cursor;
        if ('accepted' in frame) {
          return [{ kind: 'accepted', inputOffset: frame.accepted, atMs, cursor: after }];
        }
        const skipped = frame.start === at.offset ? at.payloadOffset : 0;
        const bytes = frame.bytes.subarray(skipped);
        return [{ kind: 'output', stream: frame.stream, bytes, atMs, cursor: after }];
      });
    },
  };
}
