/*
 * A position to read from that is about so far into a journal, without reading what is before it: for whoever wants the end of a long output.
 *
 * Only frames that are reached from the beginning of their segment, header by header, are believed. A command can write bytes that look like
 * frames, with the right CRC and at the right offset: whoever begins to look in the middle of a segment may find those. So that a long
 * segment is not stepped over at each look, the places of some frames are kept as marks. They never change: bytes written never do (J1).
 */
import { closeSync } from 'node:fs';
import type { JournalPosition } from './cursor.ts';
import { frameHeaderBytes, segmentHeaderBytes } from './format.ts';
import { listSegmentBases, openSegment, sizeOfSegment } from './segments.ts';
import { walkOn } from './walk-on.ts';

/* Places of frames in segments, each at least a stretch after the one before; for one reader of many journals. */
export type FrameMarks = Map<string, number[]>;

/* A walk from one mark to the next takes some milliseconds at the most, also over the smallest frames. */
const stretchBytes = 1024 * 1024;
/* Of as many segments as people look at in a while; 64 marks each. */
const markedSegmentsMax = 64;

/*
 * In the output at the offset, or at the first frame after it. Undefined: there is none at or after it. Throws `journal-missing` without a
 * run directory.
 */
export function findPositionNear(
  runDir: string,
  offset: number,
  marks: FrameMarks = new Map(),
): JournalPosition | undefined {
  const bases = listSegmentBases(runDir);
  const inside = bases.findLastIndex((base) => base <= offset);
  for (const base of bases.slice(Math.max(0, inside))) {
    const found = nearIn(runDir, base, { offset, marks: marksOf(marks, `${runDir}\0${base}`) });
    if (found !== undefined) return found;
  }
  return undefined;
}

function nearIn(
  runDir: string,
  base: number,
  { offset, marks }: { readonly offset: number; readonly marks: number[] },
): JournalPosition | undefined {
  const segment = openSegment(runDir, { base });
  /* Dropped since it was listed, or none of ours. */
  if (segment === undefined || segment === 'unreadable') return undefined;
  try {
    const to = sizeOfSegment(segment.fd).bytes;
    const from = marks.findLast((place) => base + place <= offset) ?? segmentHeaderBytes;
    let found: JournalPosition | undefined;
    walkOn({ fd: segment.fd, base, from, to }, (header) => {
      const place = header.offset - base;
      if (place >= (marks.at(-1) ?? 0) + stretchBytes) marks.push(place);
      const into = offset - header.offset - frameHeaderBytes;
      if (into >= header.payloadLength) return undefined;
      const payloadOffset = header.kind === 'output' ? Math.max(0, into) : 0;
      // Of a frame that is no output, the one after it is as good.
      found = { offset: header.offset, payloadOffset };
      return false;
    });
    return found;
  } finally {
    closeSync(segment.fd);
  }
}

/* The one that was asked for last goes to the end. */
function marksOf(marks: FrameMarks, name: string): number[] {
  const known = marks.get(name) ?? [];
  marks.delete(name);
  marks.set(name, known);
  const [oldest] = marks.keys();
  if (marks.size > markedSegmentsMax && oldest !== undefined) marks.delete(oldest);
  return known;
}
