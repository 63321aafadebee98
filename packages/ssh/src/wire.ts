/*
 * The encoding of SSH's messages (RFC 4251, section 5): bytes, booleans, numbers, and strings with their length in front.
 *
 * WR1 A reader never reads beyond its bytes. What is missing reads as empty and breaks the reader, so a parser reads all fields
 *    first and asks `isWhole` once: every field was there, and nothing is left.
 * WR2 A string is a view of the message, not a copy, and a length is compared with what is there before it is used.
 */

export interface WireReader {
  byte(): number;
  /* Only 0 and 1: another value would be read as true by some programs and refused by others. */
  boolean(): boolean;
  uint32(): number;
  string(): Buffer;
  /* A string in printable ASCII, which is what names are. */
  name(): string;
  /* All that is left. */
  rest(): Buffer;
  isWhole(): boolean;
}

const printable = /^[\x20-\x7e]*$/;
const empty = Buffer.alloc(0);

export function createWireReader(bytes: Buffer): WireReader {
  let at = 0;
  let isBroken = false;

  const take = (length: number): Buffer => {
    if (isBroken || length > bytes.length - at) {
      isBroken = true;
      return empty;
    }
    at += length;
    return bytes.subarray(at - length, at);
  };
  const uint32 = (): number => {
    const found = take(4);
    return found.length === 4 ? found.readUInt32BE() : 0;
  };
  const byte = (): number => take(1)[0] ?? 0;
  const string = (): Buffer => take(uint32());

  return {
    byte,
    uint32,
    string,
    boolean: () => {
      const value = byte();
      if (value > 1) isBroken = true;
      return value === 1;
    },
    name: () => {
      const text = string().toString('latin1');
      if (!printable.test(text)) isBroken = true;
      return isBroken ? '' : text;
    },
    rest: () => take(bytes.length - at),
    isWhole: () => !isBroken && at === bytes.length,
  };
}

export function formatString(content: Buffer | string): Buffer {
  const bytes = Buffer.from(content);
  return Buffer.concat([formatUint32(bytes.length), bytes]);
}

export function formatUint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
