/*
 * The 32 bytes before every payload. A header that does not check out is
 * undefined, whatever the reason: half written, lost with the power, or not a
 * header at all; what that means is for the reader to say (J1).
 */
import {
  crcOf,
  frameHeaderBytes,
  type FrameKind,
  frameKinds,
  frameMagic,
  framePayloadBytesMax,
  shortCrc,
  type OutputStream,
} from './format.ts';

export interface FrameHeader {
  readonly kind: FrameKind;
  readonly stream: OutputStream | undefined;
  readonly payloadLength: number;
  readonly payloadCrc: number;
  readonly timeUs: number;
  /* Logical. */
  readonly offset: number;
}

const streams: readonly (OutputStream | undefined)[] = [undefined, 'stdout', 'stderr'];
const highFactor = 2 ** 32;

/* `at` is the header's place in `bytes`, `offset` its logical offset. */
export function parseFrameHeader(
  bytes: Buffer,
  at: number,
  offset: number,
): FrameHeader | undefined {
  if (bytes.length - at < frameHeaderBytes) return undefined;
  if (bytes.readUInt32LE(at) !== frameMagic) return undefined;
  if (bytes.readUInt32LE(at + 24) !== offset % highFactor) return undefined;
  if (bytes.readUInt32LE(at + 28) !== shortCrc(bytes, at, at + 28)) return undefined;
  const payloadLength = bytes.readUInt32LE(at + 8);
  if (payloadLength > framePayloadBytesMax) return undefined;
  return {
    kind: frameKinds[bytes.readUInt8(at + 4)] ?? 'unknown',
    stream: streams[bytes.readUInt8(at + 5)],
    payloadLength,
    payloadCrc: bytes.readUInt32LE(at + 12),
    timeUs: bytes.readUInt32LE(at + 20) * highFactor + bytes.readUInt32LE(at + 16),
    offset,
  };
}

export function isPayloadIntact(header: FrameHeader, payload: Buffer): boolean {
  return crcOf(payload) === header.payloadCrc;
}
