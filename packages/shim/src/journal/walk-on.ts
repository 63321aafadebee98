/*
 * Walks the frames of a segment as `walkFrames` does, and goes on where frames begin again after something that is none: one bad
 * byte must not hide the exit record behind it.
 */
import { findFrameSync } from './find-frame.ts';
import { type FrameVisit, type FrameWalk, type WalkEnd, walkFrames } from './walk-frames.ts';

export function walkOn(range: FrameWalk, visit: FrameVisit): WalkEnd {
  let { from } = range;
  let wholeTo = from;
  for (;;) {
    const walked = walkFrames({ ...range, from }, visit);
    if (walked.at > from) wholeTo = walked.at;
    const next =
      walked.end === 'torn' ? findFrameSync({ ...range, from: walked.at + 1 }) : undefined;
    if (next === undefined) return { at: wholeTo, end: walked.end };
    from = next;
  }
}
