/*
 * The frame decoder: the same frames come out however the stream was cut.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ShimError } from '../src/errors.ts';
import { createFrameDecoder, type WireFrame } from '../src/wire/frame-decoder.ts';

function frame(type: number, id: number, payload: Uint8Array): Buffer {
  const bytes = Buffer.alloc(12 + payload.length);
  bytes.writeUInt32LE(8 + payload.length, 0);
  bytes.writeUInt8(type, 4);
  bytes.writeUInt32LE(id, 8);
  bytes.set(payload, 12);
  return bytes;
}

function decode(chunks: readonly Buffer[]): readonly WireFrame[] {
  const decoder = createFrameDecoder();
  const frames: WireFrame[] = [];
  for (const chunk of chunks) decoder.push(chunk, (one) => frames.push(one));
  assert.equal(decoder.pendingBytes, 0);
  return frames;
}

const plain = (frames: readonly WireFrame[]): unknown =>
  frames.map(({ type, id, payload }) => ({ type, id, payload: payload.toString('hex') }));

const someFrames = fc.array(
  fc.record({
    type: fc.integer({ min: 0, max: 255 }),
    id: fc.integer({ min: 0, max: 0xffff_ffff }),
    payload: fc.uint8Array({ maxLength: 300 }),
  }),
  { maxLength: 20 },
);

test('frames come out as they went in, wherever the stream is cut', () => {
  const cuts = fc.array(fc.nat(6000), { maxLength: 40 });
  fc.assert(
    fc.property(someFrames, cuts, (frames, places) => {
      const stream = Buffer.concat(frames.map((one) => frame(one.type, one.id, one.payload)));
      const edges = [0, ...places.map((place) => Math.min(place, stream.length)), stream.length];
      edges.sort((left, right) => left - right);
      const chunks = edges.slice(1).map((edge, index) => stream.subarray(edges[index], edge));
      assert.deepEqual(
        plain(decode(chunks)),
        frames.map((one) => ({ ...one, payload: Buffer.from(one.payload).toString('hex') })),
      );
    }),
  );
});

test('a stream fed byte by byte gives the same frames', () => {
  const stream = Buffer.concat([
    frame(66, 7, Buffer.alloc(8, 1)),
    frame(70, 8, Buffer.alloc(0)),
    frame(68, 9, Buffer.alloc(5000, 2)),
  ]);
  const chunks = Array.from(stream, (byte) => Buffer.from([byte]));
  assert.deepEqual(plain(decode(chunks)), plain(decode([stream])));
});

test('the largest frame passes, one byte more is refused', () => {
  const largest = frame(7, 1, Buffer.alloc(1024 * 1024 + 56));
  assert.equal(decode([largest.subarray(0, 100), largest.subarray(100)]).length, 1);
  const decoder = createFrameDecoder();
  const tooLong = Buffer.alloc(4);
  tooLong.writeUInt32LE(1024 * 1024 + 65);
  assert.throws(() => decoder.push(tooLong, () => {}), { code: 'message-invalid' });
});

test('a bad length ends the stream after the frames before it, for good', () => {
  const decoder = createFrameDecoder();
  const seen: number[] = [];
  const bad = Buffer.concat([frame(66, 5, Buffer.alloc(8)), Buffer.from([7, 0, 0, 0, 1, 2, 3])]);
  assert.throws(() => decoder.push(bad, ({ id }) => seen.push(id)), ShimError);
  assert.deepEqual(seen, [5]);
  assert.throws(() => decoder.push(frame(66, 6, Buffer.alloc(8)), () => {}), ShimError);
});
