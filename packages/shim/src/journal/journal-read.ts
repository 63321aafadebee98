/*
 * What reading at a position gives (J1, J2).
 */
import type { JournalPosition } from './cursor.ts';
import type { JournalFrame } from './cut-frames.ts';

export type JournalRead =
  | {
      readonly kind: 'frames';
      /* Empty only when the position was the end of a payload: `next` is the frame after it. */
      readonly frames: readonly JournalFrame[];
      readonly next: JournalPosition;
      /*
       * Optional: "I shall not look at these payloads any more." Their memory is used
       * again and the views become empty. Saves most of the cost of a flood.
       */
      readonly release: () => void;
    }
  /* `damagedBytes`: how many are there and are no frame, although all of them are written. */
  | { readonly kind: 'nothing'; readonly at: JournalPosition; readonly damagedBytes: number }
  /* The oldest segments are gone. Reading goes on at `to`. */
  | { readonly kind: 'gap'; readonly from: JournalPosition; readonly to: JournalPosition }
  /*
   * The journal was cut, deleted or altered here: `bytes` of it are not what was written. Reading goes on at `to`, which is
   * `from` when something was added: after the end, or between two segments.
   */
  | {
      readonly kind: 'damaged';
      readonly from: JournalPosition;
      readonly to: JournalPosition;
      readonly bytes: number;
    }
  /*
   * The shim is dead and there is no final end; `tornBytes` follow that are no whole frame. `missedBytes` were written and are
   * not there; 0 when that is not known.
   */
  | {
      readonly kind: 'tail-lost';
      readonly at: JournalPosition;
      readonly tornBytes: number;
      readonly missedBytes: number;
    }
  | { readonly kind: 'closed'; readonly at: JournalPosition };

export function gap(from: JournalPosition, oldestBase: number): JournalRead {
  return { kind: 'gap', from, to: positionOf(oldestBase) };
}

export function damage(from: JournalPosition, to: JournalPosition): JournalRead {
  return { kind: 'damaged', from, to, bytes: to.offset - from.offset };
}

export function positionOf(offset: number): JournalPosition {
  return { offset, payloadOffset: 0 };
}
