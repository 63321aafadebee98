/*
 * Cuts a byte stream into protocol frames, wherever the stream was split.
 *
 * Payloads are views of the pushed chunk when a frame lies wholly in it, which
 * is the rule; a frame over several chunks is gathered in one buffer of its
 * size, so a large one costs one copy and not one per chunk. A length outside
 * the protocol's bounds means that the two sides disagree about where frames
 * begin: nothing after it can be trusted, and the link must be given up.
 */
import { ShimError } from '../errors.ts';
import { frameHeaderBytes, frameLengthMax, lengthBytes } from './constants.ts';

export interface WireFrame {
  readonly type: number;
  readonly id: number;
  readonly payload: Buffer;
}

export interface FrameDecoder {
  /*
   * Hands over whole frames, in order. Throws `message-invalid` after the frames
   * that came before the bad one, and from then on always.
   */
  push(chunk: Buffer, onFrame: (frame: WireFrame) => void): void;
  /* Bytes of a frame that has begun. */
  readonly pendingBytes: number;
}

export function createFrameDecoder(): FrameDecoder {
  /* A frame whose length is known, being gathered. */
  let gathering: Buffer | undefined;
  let gatheredBytes = 0;
  /* Fewer than four bytes of the next length. */
  let head: Buffer | undefined;
  let failure: ShimError | undefined;

  const totalAt = (chunk: Buffer, at: number): number => {
    const length = chunk.readUInt32LE(at);
    if (length < frameHeaderBytes || length > frameLengthMax) {
      failure = new ShimError('message-invalid', 'a frame has an impossible length', {
        detail: { length },
      });
      throw failure;
    }
    return lengthBytes + length;
  };

  /* Moves bytes into the frame under way; gives how many were taken. */
  const gather = (target: Buffer, chunk: Buffer, from: number): number => {
    const taken = chunk.copy(target, gatheredBytes, from);
    gatheredBytes += taken;
    return taken;
  };

  return {
    push: (pushed, onFrame) => {
      if (failure !== undefined) throw failure;
      const chunk = head === undefined ? pushed : Buffer.concat([head, pushed]);
      head = undefined;
      let at = 0;
      if (gathering !== undefined) {
        at = gather(gathering, chunk, 0);
        if (gatheredBytes < gathering.length) return;
        const whole = gathering;
        gathering = undefined;
        onFrame(frameAt(whole, 0, whole.length));
      }
      while (chunk.length - at >= lengthBytes) {
        const total = totalAt(chunk, at);
        if (chunk.length - at < total) {
          gathering = Buffer.allocUnsafe(total);
          gatheredBytes = 0;
          gather(gathering, chunk, at);
          return;
        }
        const start = at;
        at += total;
        onFrame(frameAt(chunk, start, at));
      }
      if (at < chunk.length) head = chunk.subarray(at);
    },
    get pendingBytes() {
      return (gathering === undefined ? 0 : gatheredBytes) + (head?.length ?? 0);
    },
  };
}

function frameAt(bytes: Buffer, start: number, end: number): WireFrame {
  return {
    type: bytes.readUInt8(start + lengthBytes),
    id: bytes.readUInt32LE(start + lengthBytes + 4),
    payload: bytes.subarray(start + lengthBytes + frameHeaderBytes, end),
  };
}
