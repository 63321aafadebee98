/*
 * A position inside a piece of output: for a reader that takes only the beginning of one, because its page is full or
 * because what follows is half a character. Handing the cursor back goes on exactly there.
 */
import { formatCursor, type JournalPosition, parseCursor, positionAfter } from '@clawdfather/shim';
import type { Cursor, OutputEvent } from '../../types.ts';

type Output = Extract<OutputEvent, { readonly kind: 'output' }>;

/* What a frame takes in the journal beside its payload. */
export const headerBytes = positionAfter({
  offset: 0,
  payloadOffset: 0,
  payloadLength: 0,
  payload: Buffer.alloc(0),
}).offset;

/*
 * `before` is the cursor of the event before this one, or the one that reading began at. `count` bytes of the event are
 * taken.
 */
export function cursorInside(
  before: Cursor,
  event: Pick<Output, 'bytes' | 'cursor'>,
  count: number,
): Cursor {
  if (count >= event.bytes.length) return event.cursor;
  const { offset, payloadOffset } = startOf(before, event);
  return formatCursor({ offset, payloadOffset: payloadOffset + count }) as Cursor;
}

/* A piece that begins inside a frame follows the position before it directly; one that ends inside it tells where it is. */
function startOf(
  before: Cursor,
  { bytes, cursor }: Pick<Output, 'bytes' | 'cursor'>,
): JournalPosition {
  const previous = parseCursor(before);
  if (previous.payloadOffset > 0) return previous;
  const after = parseCursor(cursor);
  if (after.payloadOffset > 0) {
    return { offset: after.offset, payloadOffset: after.payloadOffset - bytes.length };
  }
  return { offset: after.offset - headerBytes - bytes.length, payloadOffset: 0 };
}
