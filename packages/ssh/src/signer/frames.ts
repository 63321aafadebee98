/*
 * A stream of an agent connection as messages: a length, and as many bytes.
 *
 * FR1 At most one message is held, and a length beyond the limit ends the stream before a byte of it is kept.
 */
import { formatString } from '../wire.ts';

export interface FrameReader {
  /* The messages that these bytes complete, in order. `undefined`: the stream is not an agent's, and nothing more is read. */
  push(bytes: Buffer): readonly Buffer[] | undefined;
}

const lengthBytes = 4;

export function createFrameReader(messageBytesMax: number): FrameReader {
  let held: Buffer = Buffer.alloc(0);
  let isBroken = false;
  return {
    push: (bytes) => {
      if (isBroken) return undefined;
      const messages: Buffer[] = [];
      let rest = Buffer.concat([held, bytes]);
      while (rest.length >= lengthBytes) {
        const length = rest.readUInt32BE();
        if (length === 0 || length > messageBytesMax) {
          isBroken = true;
          return undefined;
        }
        if (rest.length < lengthBytes + length) break;
        messages.push(rest.subarray(lengthBytes, lengthBytes + length));
        rest = rest.subarray(lengthBytes + length);
      }
      held = Buffer.from(rest);
      return messages;
    },
  };
}

export function formatFrame(message: Buffer): Buffer {
  return formatString(message);
}
