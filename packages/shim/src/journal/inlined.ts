/*
 * A small journal that came whole with the END message: no file is opened.
 *
 * It is the whole of one segment from offset 0, so its positions are the
 * file's, and a reader that comes to its end goes on in the file.
 */
import { parseJsonFields } from '../json-fields.ts';
import { type JournalPosition, positionAfter } from './cursor.ts';
import { cutFrames, type FrameCut, type JournalFrame } from './cut-frames.ts';
import { segmentHeaderBytes } from './format.ts';
import { parseEndRecord } from './records.ts';
import { parseSegmentHeader, type SegmentHeader } from './segment-header.ts';

export interface InlinedJournal {
  readonly header: SegmentHeader;
  readonly bytes: Buffer;
  readonly whole: FrameCut;
  /* Set when the last frame is the final end. */
  readonly closedAt: number | undefined;
}

/* Undefined when these bytes are not a journal from its beginning: the file will tell. */
export function parseInlined(bytes: Buffer): InlinedJournal | undefined {
  const header = parseSegmentHeader(bytes);
  if (header === undefined || header.base !== 0) return undefined;
  const whole = cutAt(bytes, { offset: segmentHeaderBytes, payloadOffset: 0 });
  const last = whole.frames.at(-1);
  const closedAt = last !== undefined && endsFinally(last) ? positionAfter(last).offset : undefined;
  return { header, bytes, whole, closedAt };
}

/* Undefined when the position is past what was inlined. */
export function cutInlined(inlined: InlinedJournal, at: JournalPosition): FrameCut | undefined {
  if (at.offset === 0 || at.offset === segmentHeaderBytes) {
    if (at.payloadOffset === 0) return inlined.whole.frames.length > 0 ? inlined.whole : undefined;
  }
  if (at.offset < segmentHeaderBytes || at.offset >= inlined.bytes.length) return undefined;
  const cut = cutAt(inlined.bytes, at);
  return cut.frames.length > 0 ? cut : undefined;
}

export function endsFinally(frame: JournalFrame): boolean {
  return frame.kind === 'end' && parseEndRecord(parseJsonFields(frame.payload)).isFinal;
}

function cutAt(bytes: Buffer, at: JournalPosition): FrameCut {
  return cutFrames({
    bytes: bytes.subarray(at.offset),
    offset: at.offset,
    writtenTo: bytes.length,
    isVerified: false,
    payloadFrom: at.payloadOffset,
  });
}
