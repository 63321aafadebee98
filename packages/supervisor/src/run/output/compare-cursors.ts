/*
 * Which of two cursors of one run comes first. A cursor stays opaque to callers; a reader that leaves one stream and goes on in
 * another has to know on which side of a seam it is.
 */
import { comparePositions, parseCursor } from '@clawdfather/shim';
import type { Cursor } from '../../types.ts';

/* Negative: `left` comes first. */
export function compareCursors(left: Cursor, right: Cursor): number {
  return comparePositions(parseCursor(left), parseCursor(right));
}
