/*
 * How much of a program the kernel loads from its file: the sum of its segments.
 *
 * The file itself may be larger. Where pages may have 64 KiB (arm64), the linker moves the data up to the end of such a page, and
 * the hole before it is in the file, but is never read.
 */
import { readFileSync } from 'node:fs';

const loadType = 1;
const entryBytes = 56;

/* Of a 64-bit, little-endian ELF file: the only ones that are built here. */
export function loadedBytes(path: string): number {
  const file = readFileSync(path);
  const table = Number(file.readBigUInt64LE(32));
  const count = file.readUInt16LE(56);
  let sum = 0;
  for (let index = 0; index < count; index += 1) {
    const entry = table + index * entryBytes;
    if (file.readUInt32LE(entry) === loadType) sum += Number(file.readBigUInt64LE(entry + 32));
  }
  return sum;
}
