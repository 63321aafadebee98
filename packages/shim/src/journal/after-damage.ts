/*
 * Where reading goes on in a segment after bytes that are not what was written (J1).
 *
 * A damaged segment header costs itself alone: frames carry all that is needed to read them. A frame whose header is whole and
 * whose payload is not costs that frame. Anything else costs the bytes up to the next frame.
 */
import type { ChunkPool } from './chunk-pool.ts';
import type { JournalPosition } from './cursor.ts';
import { fetchChunk } from './fetch-chunk.ts';
import { findFrame } from './find-frame.ts';
import { frameHeaderBytes, segmentHeaderBytes } from './format.ts';
import { parseFrameHeader } from './frame-header.ts';
import type { FoundSegment } from './segment-finder.ts';
import { walkFrames } from './walk-frames.ts';

/* Undefined: no frame follows in this segment. */
export async function afterDamage(
  { segment, bytes }: FoundSegment,
  at: JournalPosition,
  pool: ChunkPool,
): Promise<JournalPosition | undefined> {
  const { fd, base } = segment;
  if (at.offset === base && segment.header === undefined)
    return position(base + segmentHeaderBytes);
  const place = at.offset === base ? segmentHeaderBytes : at.offset - base;
  const head = await fetchChunk({ fd, position: place, length: frameHeaderBytes, pool });
  const header = parseFrameHeader(head, 0, base + place);
  const end = place + frameHeaderBytes + (header?.payloadLength ?? 0);
  if (header !== undefined && end <= bytes) return position(base + end);
  const next = await findFrame({ fd, base, from: place + 1, to: bytes }, pool);
  return next === undefined ? undefined : position(base + next);
}

/* True when whole frames lead past the offset: then it is no position, and nothing is damaged there. */
export function isInsideFrame({ segment, bytes }: FoundSegment, offset: number): boolean {
  const { fd, base } = segment;
  let isInside = false;
  walkFrames({ fd, base, from: segmentHeaderBytes, to: bytes }, (header) => {
    const end = header.offset + frameHeaderBytes + header.payloadLength;
    isInside = header.offset < offset && offset < end;
    return end <= offset;
  });
  return isInside;
}

function position(offset: number): JournalPosition {
  return { offset, payloadOffset: 0 };
}
