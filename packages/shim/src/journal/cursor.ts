/*
 * Positions in a run's journal (J2) and the cursors that stand for them.
 *
 * A position is the logical offset of a frame header over all segments, plus an
 * offset in that frame's payload. Outside, it is an opaque string in base 36.
 * A string has exactly one position and a position exactly one string, so
 * cursors can be compared as text for equality.
 */
import { ShimError } from '../errors.ts';
import { frameHeaderBytes, framePayloadBytesMax } from './format.ts';

export interface JournalPosition {
  readonly offset: number;
  readonly payloadOffset: number;
}

export const journalStart: JournalPosition = { offset: 0, payloadOffset: 0 };

/* Base 36 of 2^53 has 11 digits; of 1 MiB, 4. No leading zeros. */
const cursorPattern = /^(0|[1-9a-z][0-9a-z]{0,10})\.(0|[1-9a-z][0-9a-z]{0,3})$/;

export function formatCursor(position: JournalPosition): string {
  return `${position.offset.toString(36)}.${position.payloadOffset.toString(36)}`;
}

export function parseCursor(text: string): JournalPosition {
  const match = cursorPattern.exec(text);
  const offset = Number.parseInt(match?.[1] ?? '', 36);
  const payloadOffset = Number.parseInt(match?.[2] ?? '', 36);
  if (!Number.isSafeInteger(offset) || !(payloadOffset <= framePayloadBytesMax)) {
    throw new ShimError('cursor-invalid', 'this is no cursor', {
      hint: 'Pass a cursor exactly as it was given, or none to read from the beginning.',
    });
  }
  return { offset, payloadOffset };
}

/* Negative: `left` comes first. */
export function comparePositions(left: JournalPosition, right: JournalPosition): number {
  return left.offset - right.offset || left.payloadOffset - right.payloadOffset;
}

/* A piece of a frame's payload, or all of it. */
export interface FramePiece {
  readonly offset: number;
  readonly payloadOffset: number;
  /* Of the whole frame. */
  readonly payloadLength: number;
  readonly payload: Buffer;
}

/* Where reading goes on after `bytes` of the piece; by default after all of it. */
export function positionAfter(piece: FramePiece, bytes = piece.payload.length): JournalPosition {
  const payloadOffset = piece.payloadOffset + bytes;
  if (payloadOffset < piece.payloadLength) return { offset: piece.offset, payloadOffset };
  return { offset: piece.offset + frameHeaderBytes + piece.payloadLength, payloadOffset: 0 };
}
