/*
 * Events in pieces: up to an edge, which is the exact seam between what a reader reads by itself and what it takes from the window;
 * and in slices of a chunk, so that a full socket is noticed before the next one is made.
 */
import {
  compareCursors,
  type Cursor,
  cursorInside,
  type OutputEvent,
} from '@clawdfather/supervisor';
import { chunkBytesMax } from './limits.ts';

/* The event, or its beginning, if it reaches the edge; `undefined` if it ends before. `before` is where it begins. */
export function cutAtEdge(
  before: Cursor,
  event: OutputEvent,
  edge: Cursor,
): OutputEvent | undefined {
  const beyond = compareCursors(event.cursor, edge);
  if (beyond < 0) return undefined;
  if (beyond === 0 || event.kind !== 'output') return event;
  // A cursor's inside is not ours to know; but cursors have an order, so the place can be searched for.
  let least = 0;
  let most = event.bytes.length;
  while (least < most) {
    const middle = (least + most) >> 1;
    if (compareCursors(cursorInside(before, event, middle), edge) < 0) least = middle + 1;
    else most = middle;
  }
  return { ...event, bytes: event.bytes.subarray(0, least), cursor: edge };
}

/* `before` is where the event begins. */
export function* slicesOf(before: Cursor, event: OutputEvent): Generator<OutputEvent> {
  if (event.kind !== 'output' || event.bytes.length <= chunkBytesMax) {
    yield event;
    return;
  }
  for (let at = 0; at < event.bytes.length; at += chunkBytesMax) {
    const end = Math.min(at + chunkBytesMax, event.bytes.length);
    yield {
      ...event,
      bytes: event.bytes.subarray(at, end),
      cursor: cursorInside(before, event, end),
    };
  }
}
