/*
 * Reads the frames at a position out of one open segment.
 *
 * One chunk is fetched per call. If not even the first frame lies in it, it is
 * fetched again as large as that frame needs: a frame has at most a mebibyte.
 */
import { ShimError } from '../errors.ts';
import type { ChunkPool } from './chunk-pool.ts';
import type { JournalPosition } from './cursor.ts';
import { cutFrames, type FrameCut } from './cut-frames.ts';
import { fetchChunk, syncBytesMax } from './fetch-chunk.ts';
import { frameHeaderBytes, segmentHeaderBytes } from './format.ts';
import { type FrameHeader, parseFrameHeader } from './frame-header.ts';
import type { FoundSegment } from './segment-finder.ts';

export interface SegmentRead {
  readonly found: FoundSegment;
  readonly at: JournalPosition;
  /* The header of the frame at `at`, if it is known from the read before. */
  readonly within: FrameHeader | undefined;
  readonly isVerified: boolean;
  readonly pool: ChunkPool;
}

export type SegmentOutcome =
  /* The frames are views of `chunk`. */
  { readonly kind: 'cut'; readonly cut: FrameCut; readonly chunk: Buffer } | NothingWhole;

/* `tornBytes` are there; `isDamaged`: they are whole in length and yet not what was written. */
export interface NothingWhole {
  readonly kind: 'nothing';
  readonly tornBytes: number;
  readonly isDamaged: boolean;
}

export async function readSegment(read: SegmentRead): Promise<SegmentOutcome> {
  const { found, at } = read;
  const { segment, bytes } = found;
  if (segment.header === undefined && (at.offset === segment.base || bytes <= segmentHeaderBytes)) {
    /* The header is written before anything else. */
    return { kind: 'nothing', tornBytes: bytes, isDamaged: bytes > segmentHeaderBytes };
  }
  const place = at.offset === segment.base ? segmentHeaderBytes : at.offset - segment.base;
  if (place < segmentHeaderBytes) throw invalidCursor();
  if (at.payloadOffset > 0) {
    const within = read.within ?? (await fetchFrameHeader(read, place));
    if (within !== undefined) checkWithin(within, at);
    if (within?.kind === 'output' && !read.isVerified) return readOn(read, place, within);
  }
  return readWhole(read, place);
}

/* From inside an output frame's payload on. */
async function readOn(
  read: SegmentRead,
  place: number,
  within: FrameHeader,
): Promise<SegmentOutcome> {
  const { segment, bytes } = read.found;
  const from = place + frameHeaderBytes + read.at.payloadOffset;
  const isWritten = place + frameHeaderBytes + within.payloadLength <= bytes;
  if (!isWritten) return { kind: 'nothing', tornBytes: bytes - place, isDamaged: false };
  const length = Math.min(bytes - from, read.pool.chunkBytes);
  const chunk = await fetchChunk({ fd: segment.fd, position: from, length, pool: read.pool });
  const cut = cutFrames({
    bytes: chunk,
    offset: segment.base + from,
    writtenTo: segment.base + bytes,
    isVerified: read.isVerified,
    within,
  });
  return { kind: 'cut', cut, chunk };
}

/* From a frame's header on. */
async function readWhole(read: SegmentRead, place: number): Promise<SegmentOutcome> {
  const { segment, bytes } = read.found;
  const available = bytes - place;
  let length = Math.min(available, read.pool.chunkBytes);
  if (length > syncBytesMax) {
    /* In a flood the writer is in the middle of a large frame: look before fetching half of it. */
    const header = await fetchFrameHeader(read, place);
    if (header !== undefined && frameHeaderBytes + header.payloadLength > available) {
      return { kind: 'nothing', tornBytes: available, isDamaged: false };
    }
  }
  for (;;) {
    if (length <= 0) return { kind: 'nothing', tornBytes: 0, isDamaged: false };
    const chunk = await fetchChunk({ fd: segment.fd, position: place, length, pool: read.pool });
    const cut = cutFrames({
      bytes: chunk,
      offset: segment.base + place,
      writtenTo: segment.base + bytes,
      isVerified: read.isVerified,
      payloadFrom: read.at.payloadOffset,
    });
    const isMoving = cut.next.offset > segment.base + place || cut.frames.length > 0;
    if (isMoving) return { kind: 'cut', cut, chunk };
    read.pool.give(chunk);
    if (cut.stop === 'bad') return { kind: 'nothing', tornBytes: available, isDamaged: true };
    if (cut.neededBytes > available || cut.neededBytes <= length) {
      return { kind: 'nothing', tornBytes: available, isDamaged: false };
    }
    length = cut.neededBytes;
  }
}

async function fetchFrameHeader(
  { found, pool }: SegmentRead,
  place: number,
): Promise<FrameHeader | undefined> {
  const { segment, bytes } = found;
  if (bytes - place < frameHeaderBytes) return undefined;
  const request = { fd: segment.fd, position: place, length: frameHeaderBytes, pool };
  return parseFrameHeader(await fetchChunk(request), 0, segment.base + place);
}

function checkWithin(within: FrameHeader, at: JournalPosition): void {
  if (at.payloadOffset > within.payloadLength) throw invalidCursor();
}

export function invalidCursor(): ShimError {
  return new ShimError('cursor-invalid', 'the cursor points into the middle of something', {
    hint: 'Pass a cursor exactly as it was given, or none to read from the beginning.',
  });
}
