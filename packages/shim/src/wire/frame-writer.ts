/*
 * Builds one protocol frame in one buffer of known capacity.
 *
 * The caller says how much it will write at most; strings may be estimated at
 * three bytes a UTF-16 unit. So a message with a whole environment costs one
 * allocation and one native call per string.
 */
import { ShimError } from '../errors.ts';
import { writeU64, writeU64Max } from './bytes.ts';
import { frameHeaderBytes, frameLengthMax, lengthBytes } from './constants.ts';

/* The most that one UTF-16 unit becomes in UTF-8. */
export const utf8BytesPerUnit = 3;

const shortStringBytesMax = 0xffff;

export interface FrameWriter {
  u8(value: number): void;
  u16(value: number): void;
  u32(value: number): void;
  i32(value: number): void;
  u64(value: number): void;
  u64Max(): void;
  bytes(value: Uint8Array): void;
  /* UTF-8, without a length. */
  text(value: string): void;
  /* `str` of the protocol: u16 length, then the bytes. */
  str(value: string): void;
  /* A field of SPAWN: the tag, the length of what `write` writes, and that. */
  field(tag: number, write: () => void): void;
  /* The frame; the writer is used up. */
  finish(): Buffer;
}

export interface FrameHead {
  readonly type: number;
  readonly id: number;
}

export function createFrameWriter(head: FrameHead, payloadBytesBound: number): FrameWriter {
  const buffer = Buffer.allocUnsafe(lengthBytes + frameHeaderBytes + payloadBytesBound);
  buffer.writeUInt32LE(head.type, lengthBytes);
  buffer.writeUInt32LE(head.id, lengthBytes + 4);
  let at = lengthBytes + frameHeaderBytes;

  const text = (value: string): void => {
    at += buffer.write(value, at, 'utf8');
  };

  return {
    u8: (value) => {
      at = buffer.writeUInt8(value, at);
    },
    u16: (value) => {
      at = buffer.writeUInt16LE(value, at);
    },
    u32: (value) => {
      at = buffer.writeUInt32LE(value, at);
    },
    i32: (value) => {
      at = buffer.writeInt32LE(value, at);
    },
    u64: (value) => {
      writeU64(buffer, value, at);
      at += 8;
    },
    u64Max: () => {
      writeU64Max(buffer, at);
      at += 8;
    },
    bytes: (value) => {
      buffer.set(value, at);
      at += value.length;
    },
    text,
    str: (value) => {
      const lengthAt = at;
      at += 2;
      text(value);
      const length = at - lengthAt - 2;
      if (length > shortStringBytesMax) {
        throw new ShimError('message-invalid', 'a string is longer than 64 KiB', {
          detail: { length },
        });
      }
      buffer.writeUInt16LE(length, lengthAt);
    },
    field: (tag, write) => {
      buffer.writeUInt16LE(tag, at);
      const lengthAt = at + 2;
      at += 6;
      write();
      buffer.writeUInt32LE(at - lengthAt - 4, lengthAt);
    },
    finish: () => {
      const length = at - lengthBytes;
      if (length > frameLengthMax) {
        throw new ShimError('message-invalid', 'a message is longer than the protocol allows', {
          detail: { length, lengthMax: frameLengthMax },
        });
      }
      buffer.writeUInt32LE(length, 0);
      return buffer.subarray(0, at);
    },
  };
}
