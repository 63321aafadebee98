/*
 * Whether a segment's last frame is the final `end`, for a reader that was
 * opened past it: a journal can be read only forwards, so its headers are walked.
 */
import { parseJsonFields } from '../json-fields.ts';
import { segmentHeaderBytes } from './format.ts';
import { parseEndRecord } from './records.ts';
import type { FoundSegment } from './segment-finder.ts';
import { walkOn } from './walk-on.ts';

/* The logical offset after the final end, if that is the segment's last frame. */
export function finalEndOf({ segment, bytes }: FoundSegment): number | undefined {
  const { fd, base } = segment;
  let isFinal = false;
  const range = { fd, base, from: segmentHeaderBytes, to: bytes };
  const { at } = walkOn(range, (header, readPayload) => {
    const payload = header.kind === 'end' ? readPayload() : undefined;
    isFinal = payload !== undefined && parseEndRecord(parseJsonFields(payload)).isFinal;
    return undefined;
  });
  return isFinal ? base + at : undefined;
}
