/*
 * The numbers of the journal, version 1 (docs/protocol/journal.md), and its CRC.
 */
import { crc32 } from 'node:zlib';

export const segmentMagic = 'CLFJRNL1';
export const segmentVersion = 1;
export const segmentHeaderBytes = 128;
export const segmentFlags = { hold: 1 } as const;

export const frameMagic = 0x314d5246;
export const frameHeaderBytes = 32;
export const framePayloadBytesMax = 1024 * 1024;

/* In the order of their numbers, from 0, which is none. */
export const frameKinds = [
  'unknown',
  'meta',
  'start',
  'output',
  'resize',
  'claim',
  'input',
  'note',
  'exit',
  'end',
] as const;
/* A kind of a newer shim is `unknown`: stepped over, never an error (E5). */
export type FrameKind = (typeof frameKinds)[number];

export type OutputStream = 'stdout' | 'stderr';

const crcTable = Int32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  return crc;
});

/* Up to here the table is faster than zlib's call, which costs 100 to 200 ns whatever the length. */
const shortBytesMax = 64;

export function crcOf(bytes: Buffer): number {
  return bytes.length <= shortBytesMax ? shortCrc(bytes, 0, bytes.length) : crc32(bytes);
}

/* CRC-32 of a few bytes. */
export function shortCrc(bytes: Buffer, start: number, end: number): number {
  let crc = -1;
  for (let at = start; at < end; at += 1) {
    crc = (crcTable[(crc ^ (bytes[at] ?? 0)) & 0xff] ?? 0) ^ (crc >>> 8);
  }
  return (crc ^ -1) >>> 0;
}
