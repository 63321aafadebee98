/*
 * When a run last said something, and where: the time of its newest output frame, and the newest frames that have so many bytes of output.
 * Other frames (notes of signals, claims, input) are none, however many follow.
 *
 * A look goes on where an earlier one ended, so whoever looks again and again steps over each frame once (bytes written never change: J1), and
 * opens nothing where nothing was written. It goes in steps, for those who have more to do meanwhile.
 */
import { closeSync, statSync } from 'node:fs';
import { segmentHeaderBytes } from './format.ts';
import { listSegmentBases, openSegment, segmentPath, sizeOfSegment } from './segments.ts';
import { createTail, type OutputFrame } from './output-tail.ts';
import { walkOn } from './walk-on.ts';

export interface OutputLook {
  /* Undefined: it has said nothing, or what it said is no longer kept. */
  readonly lastOutputUs: number | undefined;
  /* Logical offset that was looked at up to. */
  readonly at: number;
  /* The newest output frames, oldest first; none where none is kept. */
  readonly tail: readonly OutputFrame[];
}

export const noOutputLook: OutputLook = { lastOutputUs: undefined, at: 0, tail: [] };

/* Between two steps others may have their turn. */
export type LookSteps = Generator<undefined, OutputLook, undefined>;

/* Over the smallest frames a step takes some milliseconds. */
const stepBytes = 1024 * 1024;

/* All steps at once, and no more than the newest frame. Throws `journal-missing` without a run directory. */
export function lookForOutput(runDir: string, before: OutputLook = noOutputLook): OutputLook {
  return take(lookInSteps(runDir, before, 1));
}

/* `tailBytes`: of output that the frames of the tail have together. Throws `journal-missing` without a run directory. */
export function* lookInSteps(runDir: string, before: OutputLook, tailBytes: number): LookSteps {
  const bases = listSegmentBases(runDir);
  const newest = bases.at(-1);
  if (newest === undefined || endOf(runDir, newest) === before.at) return before;
  return yield* lookThrough({ runDir, bases, tailBytes }, before);
}

/* The same in these segments. */
export function lookInSegments(
  runDir: string,
  bases: readonly number[],
  before: OutputLook,
): OutputLook {
  return take(lookThrough({ runDir, bases, tailBytes: 1 }, before));
}

function take(steps: LookSteps): OutputLook {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/* Logical, with what may be torn. Undefined: dropped since it was listed. */
function endOf(runDir: string, base: number): number | undefined {
  const size = statSync(segmentPath(runDir, base), { throwIfNoEntry: false })?.size;
  return size === undefined ? undefined : base + size;
}

interface Place {
  readonly runDir: string;
  readonly tailBytes: number;
}

/* The newest segment first: mostly it has enough. */
function* lookThrough(
  { bases, ...place }: Place & { readonly bases: readonly number[] },
  before: OutputLook,
): LookSteps {
  let { at } = before;
  let lastOutputUs: number | undefined;
  let tail = createTail(place.tailBytes);
  for (const base of bases.toReversed()) {
    const found = yield* lookInSegment(place, base, before.at);
    at = Math.max(at, found.at);
    lastOutputUs ??= found.lastOutputUs;
    tail = createTail(place.tailBytes, [...found.tail, ...tail.frames]);
    if (tail.isFull || tail.reachesBefore(base)) return { lastOutputUs, at, tail: tail.frames };
    if (base <= before.at) break;
  }
  const { frames } = createTail(place.tailBytes, [...before.tail, ...tail.frames]);
  return { lastOutputUs: lastOutputUs ?? before.lastOutputUs, at, tail: frames };
}

function* lookInSegment({ runDir, tailBytes }: Place, base: number, after: number): LookSteps {
  const segment = openSegment(runDir, { base });
  /* Dropped since it was listed, or none of ours. */
  if (segment === undefined || segment === 'unreadable') return noOutputLook;
  let lastOutputUs: number | undefined;
  const tail = createTail(tailBytes);
  try {
    const to = sizeOfSegment(segment.fd).bytes;
    let from = Math.max(segmentHeaderBytes, after - base);
    for (;;) {
      const stepTo = base + from + stepBytes;
      const end = walkOn({ fd: segment.fd, base, from, to }, (header) => {
        if (header.kind === 'output') {
          lastOutputUs = header.timeUs;
          tail.push({ offset: header.offset, payloadLength: header.payloadLength });
        }
        return header.offset < stepTo ? undefined : false;
      });
      if (end.end !== 'stopped') return { lastOutputUs, at: base + end.at, tail: tail.frames };
      from = end.at;
      yield;
    }
  } finally {
    closeSync(segment.fd);
  }
}
