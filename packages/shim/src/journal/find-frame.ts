/*
 * Finds where frames begin again after bytes that are none. A header is told from chance by its magic, its CRC and the logical
 * offset that it carries, so output that holds a journal of its own is not taken for one.
 */
import { readSync } from 'node:fs';
import type { ChunkPool } from './chunk-pool.ts';
import { fetchChunk } from './fetch-chunk.ts';
import { frameHeaderBytes } from './format.ts';
import { parseFrameHeader } from './frame-header.ts';
import type { FrameWalk } from './walk-frames.ts';

const magic = Buffer.from('FRM1', 'latin1');
/* Large enough that a segment takes few reads, small enough for the stretch of one bad frame. */
const windowBytes = 256 * 1024;
/* Windows overlap by less than a header, so that none is cut in two. */
const stepBytes = windowBytes - frameHeaderBytes + 1;

/* The place of the first frame header in the range; undefined when there is none. */
export async function findFrame(range: FrameWalk, pool: ChunkPool): Promise<number | undefined> {
  for (let place = range.from; range.to - place >= frameHeaderBytes; place += stepBytes) {
    const length = Math.min(windowBytes, range.to - place);
    const bytes = await fetchChunk({ fd: range.fd, position: place, length, pool });
    const found = headerIn(bytes, range.base + place);
    pool.give(bytes);
    if (found !== undefined) return place + found;
  }
  return undefined;
}

/* The same at once, for those who walk a segment synchronously. */
export function findFrameSync(range: FrameWalk): number | undefined {
  const window = Buffer.allocUnsafe(windowBytes);
  for (let place = range.from; range.to - place >= frameHeaderBytes; place += stepBytes) {
    const count = readSync(range.fd, window, 0, Math.min(windowBytes, range.to - place), place);
    const found = headerIn(window.subarray(0, count), range.base + place);
    if (found !== undefined) return place + found;
  }
  return undefined;
}

function headerIn(bytes: Buffer, offset: number): number | undefined {
  for (let at = bytes.indexOf(magic); at >= 0; at = bytes.indexOf(magic, at + 1)) {
    if (parseFrameHeader(bytes, at, offset + at) !== undefined) return at;
  }
  return undefined;
}
