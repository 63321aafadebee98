/*
 * How far a reader has come, and how its journal ends: at the final `end`, or before it.
 */
import { type JournalPosition, positionAfter } from './cursor.ts';
import type { FrameCut } from './cut-frames.ts';
import { finalEndOf } from './final-end.ts';
import { endsFinally, type InlinedJournal } from './inlined.ts';
import type { JournalRead } from './journal-read.ts';
import { invalidCursor } from './read-segment.ts';
import type { Found, SegmentFinder } from './segment-finder.ts';

export interface JournalEnd {
  /* These were handed out. */
  note(cut: FrameCut): void;
  /* This reader's own frames lead there, so it is a position. */
  hasReached(at: JournalPosition): boolean;
  /* It lies right after the final end. */
  isAt(at: JournalPosition): boolean;
  /* For a position at the end: nothing follows there, or it is told once. */
  close(at: JournalPosition): JournalRead;
  /* For a dead shim: the end, if the position is there after all; otherwise the tail is lost. */
  lose(tail: LostTail, found: Found): JournalRead;
}

export type LostTail = Extract<JournalRead, { kind: 'tail-lost' }>;

export function createJournalEnd(
  finder: SegmentFinder,
  inlined: InlinedJournal | undefined,
): JournalEnd {
  let reachedOffset = -1;
  let closedAt = inlined?.closedAt;
  /* What came inlined with END was never in other hands. */
  let isTrailTold = closedAt !== undefined;

  const isAt = (at: JournalPosition): boolean => at.payloadOffset === 0 && at.offset === closedAt;
  const hasReached = (at: JournalPosition): boolean => at.offset === reachedOffset;
  const close = (at: JournalPosition): JournalRead => {
    const bytes = isTrailTold ? 0 : finder.bytesAfter(at.offset);
    isTrailTold = true;
    return bytes > 0 ? { kind: 'damaged', from: at, to: at, bytes } : { kind: 'closed', at };
  };

  return {
    note: ({ frames, next }) => {
      const last = frames.at(-1);
      reachedOffset = next.offset;
      if (last !== undefined && endsFinally(last)) closedAt = positionAfter(last).offset;
    },
    hasReached,
    isAt,
    close,
    lose: (tail, found) => {
      const { at } = tail;
      if (found.kind === 'segment' && !hasReached(at)) {
        closedAt ??= finalEndOf(found);
        if (isAt(at)) return close(at);
        if (closedAt !== undefined && at.offset > closedAt) throw invalidCursor();
      }
      return tail;
    },
  };
}
