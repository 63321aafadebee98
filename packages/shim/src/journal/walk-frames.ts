/*
 * Steps over the frames of one open segment by their headers, synchronously.
 *
 * For rebuild and reconciliation: payloads are skipped unless asked for. Small
 * frames lie close together and are read by the window, large ones cost one
 * small read each, so a segment of 64 MiB takes a few milliseconds either way.
 */
import { readSync } from 'node:fs';
import { frameHeaderBytes } from './format.ts';
import { type FrameHeader, isPayloadIntact, parseFrameHeader } from './frame-header.ts';

const windowBytesMin = 4 * 1024;
const windowBytesMax = 256 * 1024;

export interface FrameWalk {
  readonly fd: number;
  /* Logical offset of the segment. */
  readonly base: number;
  /* Places in the file. */
  readonly from: number;
  readonly to: number;
}

/* Return `false` to stop. `payload` is undefined when it is damaged. */
export type FrameVisit = (
  header: FrameHeader,
  payload: () => Buffer | undefined,
) => boolean | undefined;

export interface WalkEnd {
  /* Place in the file after the last whole frame that was visited. */
  readonly at: number;
  /* `stopped`: the visitor had enough. `whole`: frames up to the end. `torn`: something else follows. */
  readonly end: 'stopped' | 'whole' | 'torn';
}

export function walkFrames(walk: FrameWalk, visit: FrameVisit): WalkEnd {
  let windowAt = 0;
  let window: Buffer = Buffer.alloc(0);
  let windowBytes = windowBytesMin;
  let at = walk.from;

  const moveWindow = (): void => {
    const isDense = at < windowAt + 2 * windowBytes;
    windowBytes = isDense ? Math.min(2 * windowBytes, windowBytesMax) : windowBytesMin;
    windowAt = at;
    window = readFully(walk.fd, at, Math.min(windowBytes, walk.to - at));
  };
  const payloadOf = (header: FrameHeader, start: number) => (): Buffer | undefined => {
    const end = start + header.payloadLength;
    const payload =
      end <= windowAt + window.length
        ? window.subarray(start - windowAt, end - windowAt)
        : readFully(walk.fd, start, header.payloadLength);
    return payload.length === header.payloadLength && isPayloadIntact(header, payload)
      ? payload
      : undefined;
  };

  while (walk.to - at >= frameHeaderBytes) {
    if (at + frameHeaderBytes > windowAt + window.length) moveWindow();
    const header = parseFrameHeader(window, at - windowAt, walk.base + at);
    if (header === undefined) return { at, end: 'torn' };
    const start = at + frameHeaderBytes;
    if (start + header.payloadLength > walk.to) return { at, end: 'torn' };
    at = start + header.payloadLength;
    if (visit(header, payloadOf(header, start)) === false) return { at, end: 'stopped' };
  }
  return { at, end: at === walk.to ? 'whole' : 'torn' };
}

/* A fresh buffer each time: visitors may keep what they are handed. */
function readFully(fd: number, position: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  let done = 0;
  while (done < length) {
    const count = readSync(fd, bytes, done, length - done, position + done);
    if (count === 0) break;
    done += count;
  }
  return bytes.subarray(0, done);
}
