/*
 * Cuts a window of segment bytes into frames: pure, and the one place that
 * knows when a frame may be handed out.
 *
 * Rules (J1, J2):
 *   1. A header's CRC is always checked.
 *   2. The payload's CRC is checked for every frame that is not output; for
 *      output when asked (`isVerified`).
 *   3. A frame is handed out only when all of it is known to be written. If
 *      then only a part of an output frame lies in the window, that part is
 *      handed out and the rest follows: nothing is read twice.
 *
 * Payloads are views of the window.
 */
import { frameHeaderBytes, type FrameKind, type OutputStream } from './format.ts';
import type { FramePiece, JournalPosition } from './cursor.ts';
import { type FrameHeader, isPayloadIntact, parseFrameHeader } from './frame-header.ts';

export interface JournalFrame extends FramePiece {
  readonly kind: FrameKind;
  readonly stream: OutputStream | undefined;
  /* Wall clock, microseconds since 1970. */
  readonly timeUs: number;
}

export interface JournalWindow {
  readonly bytes: Buffer;
  /* Logical offset of the first byte: of a frame header, or inside `within`'s payload. */
  readonly offset: number;
  /* Logical offset up to which the segment is known to be written. */
  readonly writtenTo: number;
  readonly isVerified: boolean;
  /* The window begins inside this frame's payload. */
  readonly within?: FrameHeader | undefined;
  /* The first frame is handed out from here on; for a window that begins with its header. */
  readonly payloadFrom?: number;
}

export interface FrameCut {
  readonly frames: readonly JournalFrame[];
  readonly next: JournalPosition;
  /* The frame whose rest begins at `next`, if that is inside a payload. */
  readonly within: FrameHeader | undefined;
  /* `short`: the frame at `next` does not lie wholly in the window. `bad`: it is no frame. */
  readonly stop: 'end' | 'short' | 'bad';
  /* With `short`: how many bytes from `next.offset` on make it whole, as far as is known. */
  readonly neededBytes: number;
}

export function cutFrames(window: JournalWindow): FrameCut {
  const { bytes, writtenTo, isVerified } = window;
  const frames: JournalFrame[] = [];
  const last = bytes.length;
  let at = 0;
  let within = window.within;
  let payloadFrom = window.payloadFrom ?? 0;

  const stopAt = (stop: FrameCut['stop'], neededBytes = 0): FrameCut => {
    const next = { offset: window.offset + at, payloadOffset: payloadFrom };
    return { frames, next, within: undefined, stop, neededBytes };
  };

  if (within !== undefined) {
    const payloadOffset = window.offset - within.offset - frameHeaderBytes;
    at = Math.min(within.payloadLength - payloadOffset, last);
    if (at > 0) frames.push(piece(within, payloadOffset, bytes.subarray(0, at)));
    if (payloadOffset + at < within.payloadLength) {
      const next = { offset: within.offset, payloadOffset: payloadOffset + at };
      return { frames, next, within, stop: 'end', neededBytes: 0 };
    }
  }
  while (at < last) {
    if (last - at < frameHeaderBytes) return stopAt('short', frameHeaderBytes);
    const header = parseFrameHeader(bytes, at, window.offset + at);
    if (header === undefined || payloadFrom > header.payloadLength) return stopAt('bad');
    const start = at + frameHeaderBytes;
    const end = start + header.payloadLength;
    const isWritten = window.offset + end <= writtenTo;
    const isChecked = isVerified || header.kind !== 'output';
    if (end > last) {
      if (!isWritten || isChecked || start + payloadFrom >= last) {
        return stopAt('short', end - at);
      }
      frames.push(piece(header, payloadFrom, bytes.subarray(start + payloadFrom, last)));
      within = header;
      const next = { offset: header.offset, payloadOffset: last - start };
      return { frames, next, within, stop: 'end', neededBytes: 0 };
    }
    if (isChecked && !isPayloadIntact(header, bytes.subarray(start, end))) return stopAt('bad');
    if (payloadFrom < header.payloadLength || payloadFrom === 0) {
      frames.push(piece(header, payloadFrom, bytes.subarray(start + payloadFrom, end)));
    }
    payloadFrom = 0;
    at = end;
  }
  return stopAt('end');
}

function piece(header: FrameHeader, payloadOffset: number, payload: Buffer): JournalFrame {
  return {
    kind: header.kind,
    stream: header.stream,
    timeUs: header.timeUs,
    offset: header.offset,
    payloadOffset,
    payloadLength: header.payloadLength,
    payload,
  };
}
