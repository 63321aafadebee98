/*
 * Keeps the segment open that a reader is in, and finds the one for an offset.
 *
 * A segment is left only for one that begins exactly where it ends and is
 * begun: a writer that fails to begin a segment takes the file back and goes on
 * in the old one. The oldest segment may vanish at any moment; one
 * that is open stays readable to its end.
 */
import { closeSync, lstatSync } from 'node:fs';
import { ShimError } from '../errors.ts';
import { segmentHeaderBytes } from './format.ts';
import {
  listSegmentBases,
  openSegment,
  type OpenSegment,
  readSegmentHeader,
  type SegmentName,
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
  /* Its segment has a name, and cannot be read. */
  | { readonly kind: 'unreadable' }
  /* No segment at all: no shim has claimed the run, or all of it was deleted. */
  | { readonly kind: 'none' };

export interface SegmentFinder {
  find(offset: number): Found;
  /* The base of the first segment after this offset, if there is any. */
  laterBase(offset: number): number | undefined;
  /* Leaves the open segment if another one begins at the offset, which this one seemed to hold; false if none does. */
  leave(offset: number): boolean;
  /* What the open segment has after the offset. */
  bytesAfter(offset: number): number;
  close(): void;
}

/* How often segments may vanish between the listing and the opening. */
const attemptsMax = 8;

export function createSegmentFinder(runDir: string, runId?: string): SegmentFinder {
  let current: OpenSegment | undefined;

  const replaceCurrent = (segment: OpenSegment | undefined): void => {
    if (current !== undefined) closeSync(current.fd);
    current = segment;
  };

  /* The open segment if the offset is its business, moving on to the next one at its end. */
  const findInCurrent = (offset: number): Found | undefined => {
    for (;;) {
      if (current === undefined || offset < current.base) return undefined;
      if (current.header === undefined) current = withHeader(current, runId);
      const { bytes, isUnlinked } = sizeOfSegment(current.fd);
      const end = current.base + bytes;
      const isBegun = current.header !== undefined || bytes > segmentHeaderBytes;
      if (isBegun && offset < end) return { kind: 'segment', segment: current, bytes };
      if (isBegun && offset === end) {
        const next = openBegun(runDir, { base: end, runId });
        if (next === 'unreadable') return { kind: 'unreadable' };
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
    const segment = openSegment(runDir, { base, runId });
    if (segment === undefined) return undefined;
    if (segment === 'unreadable') return { kind: 'unreadable' };
    replaceCurrent(segment);
    return { kind: 'segment', segment, bytes: sizeOfSegment(segment.fd).bytes };
  };

  return {
    find: (offset) => {
      /* The first segment needs no listing, and most readers begin there. */
      if (current === undefined && offset === 0) {
        const first = openSegment(runDir, { base: 0, runId });
        if (first === 'unreadable') return { kind: 'unreadable' };
        current = first;
      }
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
    laterBase: (offset) => listSegmentBases(runDir).find((base) => base > offset),
    leave: (offset) => {
      const isOther = current?.base !== offset && listSegmentBases(runDir).includes(offset);
      if (isOther) replaceCurrent(undefined);
      return isOther;
    },
    bytesAfter: (offset) =>
      current === undefined ? 0 : current.base + sizeOfSegment(current.fd).bytes - offset,
    close: () => replaceCurrent(undefined),
  };
}

function withHeader(segment: OpenSegment, runId: string | undefined): OpenSegment {
  const header = readSegmentHeader(segment.fd, { base: segment.base, runId });
  return header === 'foreign' ? segment : { ...segment, header };
}

/*
 * Looking first is cheaper than a failed open, and most looks find nothing. The header is written first, so a segment that has
 * more and no whole header is begun and damaged.
 */
function openBegun(runDir: string, name: SegmentName): OpenSegment | 'unreadable' | undefined {
  if (lstatSync(segmentPath(runDir, name.base), { throwIfNoEntry: false }) === undefined) {
    return undefined;
  }
  const segment = openSegment(runDir, name);
  if (segment === undefined || segment === 'unreadable') return segment;
  if (segment.header !== undefined || sizeOfSegment(segment.fd).bytes > segmentHeaderBytes) {
    return segment;
  }
  closeSync(segment.fd);
  return undefined;
}
