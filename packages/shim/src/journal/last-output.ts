/*
 * When a run last said something: the time of its newest output frame. Other frames (notes of signals, claims, input) are none.
 *
 * A look goes on where an earlier one ended, so whoever looks again and again steps over each frame once.
 */
import { closeSync } from 'node:fs';
import { segmentHeaderBytes } from './format.ts';
import { listSegmentBases, openSegment, sizeOfSegment } from './segments.ts';
import { walkOn } from './walk-on.ts';

export interface OutputLook {
  /* Undefined: it has said nothing, or what it said is no longer kept. */
  readonly lastOutputUs: number | undefined;
  /* Logical offset that was looked at up to. */
  readonly at: number;
}

export const noOutputLook: OutputLook = { lastOutputUs: undefined, at: 0 };

/* Throws `journal-missing` without a run directory. */
export function lookForOutput(runDir: string, before: OutputLook = noOutputLook): OutputLook {
  return lookInSegments(runDir, listSegmentBases(runDir), before);
}

/* The newest segment first: mostly it has some. */
export function lookInSegments(
  runDir: string,
  bases: readonly number[],
  before: OutputLook,
): OutputLook {
  let { at } = before;
  for (const base of bases.toReversed()) {
    const found = lookInSegment(runDir, base, before.at);
    at = Math.max(at, found.at);
    if (found.lastOutputUs !== undefined) return { lastOutputUs: found.lastOutputUs, at };
    if (base <= before.at) break;
  }
  return { lastOutputUs: before.lastOutputUs, at };
}

function lookInSegment(runDir: string, base: number, after: number): OutputLook {
  const segment = openSegment(runDir, { base });
  /* Dropped since it was listed, or none of ours. */
  if (segment === undefined || segment === 'unreadable') return noOutputLook;
  let lastOutputUs: number | undefined;
  try {
    const from = Math.max(segmentHeaderBytes, after - base);
    const range = { fd: segment.fd, base, from, to: sizeOfSegment(segment.fd).bytes };
    const end = walkOn(range, (header) => {
      if (header.kind === 'output') lastOutputUs = header.timeUs;
      return undefined;
    });
    return { lastOutputUs, at: base + end.at };
  } finally {
    closeSync(segment.fd);
  }
}
