/*
 * The header of a segment (frozen, E5): whose journal this is and when it was written.
 */
import { ShimError } from '../errors.ts';
import { readU64 } from '../wire/bytes.ts';
import {
  shortCrc,
  segmentFlags,
  segmentHeaderBytes,
  segmentMagic,
  segmentVersion,
} from './format.ts';

export interface SegmentHeader {
  readonly isHold: boolean;
  /* The logical offset of this header. */
  readonly base: number;
  readonly createdUs: number;
  /* As in /proc/sys/kernel/random/boot_id. */
  readonly bootId: string;
  readonly cookie: Buffer;
  readonly runId: string;
  readonly pidNs: number;
}

/* Undefined: not (yet) a whole header, as a reader may overtake the writer (J1). */
export function parseSegmentHeader(bytes: Buffer): SegmentHeader | undefined {
  if (bytes.length < segmentHeaderBytes) return undefined;
  if (bytes.toString('latin1', 0, 8) !== segmentMagic) return undefined;
  if (shortCrc(bytes, 0, 124) !== bytes.readUInt32LE(124)) return undefined;
  const version = bytes.readUInt16LE(8);
  if (version !== segmentVersion || bytes.readUInt16LE(10) !== segmentHeaderBytes) {
    throw new ShimError('journal-unsupported', `journal version ${version} is not known`, {
      hint: 'The run was started by a newer version; read it with that one.',
      detail: { version },
    });
  }
  return {
    isHold: (bytes.readUInt32LE(12) & segmentFlags.hold) !== 0,
    base: readU64(bytes, 16),
    createdUs: readU64(bytes, 24),
    bootId: formatUuid(bytes.subarray(32, 48)),
    cookie: Buffer.from(bytes.subarray(48, 64)),
    runId: bytes.toString('utf8', 64, 96).replace(/\0+$/, ''),
    pidNs: readU64(bytes, 96),
  };
}

function formatUuid(bytes: Buffer): string {
  const hex = bytes.toString('hex');
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20),
  ].join('-');
}
