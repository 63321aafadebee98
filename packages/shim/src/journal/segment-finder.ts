/*
 * Keeps the segment open that a reader is in, and finds the one for an offset.
 *
 * A segment is left only for one that begins exactly where it ends and whose
 * header is whole: a writer that fails to begin a segment takes the file back
 * and goes on in the old one. The oldest segment may vanish at any moment; one
 * that is open stays readable to its end.
 */
import { closeSync, existsSync } from 'node:fs';
import { ShimError } from '../errors.ts';
import {
  listSegmentBases,
  openSegment,
  type OpenSegment,
  readSegmentHeader,
  segmentPath,
  sizeOfSegment,
} from './segments.ts';

export interface FoundSegment {
  readonly kind: 'segment';
  readonly segment: OpenSegment;
  /* How much is written, as of now. */
  readonly bytes: number;
}

export type Found =
  | FoundSegment
  /* The offset lies before the oldest segment. */
  | { readonly kind: 'gone'; readonly oldestBase: number }
  /* No segment at all: nobody has claimed the run. */
  | { readonly kind: 'none' };

export interface SegmentFinder {
  find(offset: number): Found;
  /* The base of the first segment after this one, if there is any. */
  laterBase(base: number): number | undefined;
  close(): void;
}

/* How often segments may vanish between the listing and the opening. */
const attemptsMax = 8;

export function createSegmentFinder(runDir: string): SegmentFinder {
  let current: OpenSegment | undefined;

  const replaceCurrent = (segment: OpenSegment | undefined): void => {
    if (current !== undefined) closeSync(current.fd);
    current = segment;
  };

  /* The open segment if the offset is its business, moving on to the next one at its end. */
  const findInCurrent = (offset: number): FoundSegment | undefined => {
    for (;;) {
      if (current === undefined || offset < current.base) return undefined;
      if (current.header === undefined) current = withHeader(current);
      const { bytes, isUnlinked } = sizeOfSegment(current.fd);
      const end = current.base + bytes;
      if (current.header !== undefined && offset < end) {
        return { kind: 'segment', segment: current, bytes };
      }
      if (current.header !== undefined && offset === end) {
        const next = openWhole(runDir, end);
        if (next !== undefined) {
          replaceCurrent(next);
          continue;
        }
      }
      /* Unlinked: the next one may be gone as well, or this one was taken back. */
      if (isUnlinked || offset > end) return undefined;
      return { kind: 'segment', segment: current, bytes };
    }
  };

  const findInListing = (offset: number): Found | undefined => {
    const bases = listSegmentBases(runDir);
    const oldestBase = bases[0];
    if (oldestBase === undefined) return { kind: 'none' };
    if (offset < oldestBase) return { kind: 'gone', oldestBase };
    const base = bases.findLast((candidate) => candidate <= offset) ?? oldestBase;
    const segment = openSegment(runDir, base);
    if (segment === undefined) return undefined;
    replaceCurrent(segment);
    return { kind: 'segment', segment, bytes: sizeOfSegment(segment.fd).bytes };
  };

  return {
    find: (offset) => {
      /* The first segment needs no listing, and most readers begin there. */
      if (current === undefined && offset === 0) current = openSegment(runDir, 0);
      const found = findInCurrent(offset);
      if (found !== undefined) return found;
      for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
        const listed = findInListing(offset);
        if (listed !== undefined) return listed;
      }
      throw new ShimError('journal-missing', 'segments vanish faster than they can be opened', {
        detail: { runDir },
      });
    },
    laterBase: (base) => listSegmentBases(runDir).find((candidate) => candidate > base),
    close: () => replaceCurrent(undefined),
  };
}

function withHeader(segment: OpenSegment): OpenSegment {
  return { ...segment, header: readSegmentHeader(segment.fd, segment.base) };
}

/* Looking first is cheaper than a failed open, and most looks find nothing. */
function openWhole(runDir: string, base: number): OpenSegment | undefined {
  if (!existsSync(segmentPath(runDir, base))) return undefined;
  const segment = openSegment(runDir, base);
  if (segment === undefined || segment.header !== undefined) return segment;
  closeSync(segment.fd);
  return undefined;
}
