/*
 * The meaning of a frame that is not output, parsed on request.
 */
import { ShimError } from '../errors.ts';
import {
  booleanField,
  countField,
  type JsonFields,
  numberField,
  parseJsonFields,
  stringField,
} from '../json-fields.ts';
import type { JournalFrame } from './cut-frames.ts';
import { parseClaimRecord, parseEndRecord, parseExitRecord, parseStartRecord } from './records.ts';
import type { ClaimRecord, EndRecord, ExitRecord, StartRecord } from './records.ts';

export type FrameRecord =
  | { readonly kind: 'meta'; readonly meta: Buffer }
  | { readonly kind: 'start'; readonly start: StartRecord }
  | { readonly kind: 'resize'; readonly cols: number; readonly rows: number }
  | { readonly kind: 'claim'; readonly claim: ClaimRecord }
  | {
      readonly kind: 'input';
      readonly offset: number;
      readonly typedBytes: number;
      readonly isEof: boolean;
    }
  /* `fields` has what the note says besides its name. */
  | { readonly kind: 'note'; readonly note: string; readonly fields: JsonFields }
  | { readonly kind: 'exit'; readonly exit: ExitRecord }
  | { readonly kind: 'end'; readonly end: EndRecord };

/* Undefined for output and for kinds of a newer shim. Takes whole frames only. */
export function parseFrameRecord(frame: JournalFrame): FrameRecord | undefined {
  if (frame.kind === 'output' || frame.kind === 'unknown') return undefined;
  if (frame.payload.length !== frame.payloadLength) {
    throw new ShimError('message-invalid', 'a record was asked for from a part of its frame');
  }
  if (frame.kind === 'meta') return { kind: 'meta', meta: frame.payload };
  const fields = parseJsonFields(frame.payload);
  switch (frame.kind) {
    case 'start':
      return { kind: 'start', start: parseStartRecord(fields) };
    case 'resize':
      return {
        kind: 'resize',
        cols: numberField(fields, 'cols'),
        rows: numberField(fields, 'rows'),
      };
    case 'claim':
      return { kind: 'claim', claim: parseClaimRecord(fields) };
    case 'input':
      return {
        kind: 'input',
        offset: countField(fields, 'offset'),
        typedBytes: countField(fields, 'typed'),
        isEof: booleanField(fields, 'eof'),
      };
    case 'note':
      return { kind: 'note', note: stringField(fields, 'note'), fields };
    case 'exit':
      return { kind: 'exit', exit: parseExitRecord(fields) };
    case 'end':
      return { kind: 'end', end: parseEndRecord(fields) };
  }
}
