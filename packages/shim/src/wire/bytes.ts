/*
 * Little-endian integers of 64 bits as JavaScript numbers.
 *
 * Everything we count (bytes, ticks, epochs, microseconds since 1970) stays
 * below 2^53, so numbers are exact and a hundred times cheaper than BigInt.
 * A larger value from a peer is refused, never rounded.
 */
import { ShimError } from '../errors.ts';

const highFactor = 2 ** 32;
/* Number.MAX_SAFE_INTEGER has 53 bits: 21 of them in the upper word. */
const highMax = 2 ** 21 - 1;

export function readU64(bytes: Buffer, at: number): number {
  const high = bytes.readUInt32LE(at + 4);
  if (high > highMax) {
    throw new ShimError('message-invalid', 'a 64-bit number is out of range', {
      detail: { at },
    });
  }
  return high * highFactor + bytes.readUInt32LE(at);
}

export function writeU64(bytes: Buffer, value: number, at: number): void {
  if (!Number.isSafeInteger(value) || value < 0) {
    throw new RangeError(`not an unsigned integer below 2^53: ${value}`);
  }
  bytes.writeUInt32LE(value % highFactor, at);
  bytes.writeUInt32LE(Math.floor(value / highFactor), at + 4);
}

/* 2^64 - 1: "typed", "leave as it is", "unlimited". */
export function writeU64Max(bytes: Buffer, at: number): void {
  bytes.fill(0xff, at, at + 8);
}
