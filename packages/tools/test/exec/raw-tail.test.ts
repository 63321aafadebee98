/*
 * The last bytes of a run's output: whatever is pushed, what is kept is the end of it, with its streams.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createRawTail, type RawPiece, type Stream } from '../../src/exec/raw-tail.ts';

const pushes = fc.array(
  fc.tuple(fc.constantFrom<Stream>('stdout', 'stderr'), fc.uint8Array({ maxLength: 40 })),
  { maxLength: 60 },
);

/* One entry per byte, so that pieces can be compared however they are cut. */
function bytesOf(pieces: readonly RawPiece[]): string[] {
  return pieces.flatMap(({ stream, bytes }) => [...bytes].map((byte) => `${stream} ${byte}`));
}

test('it keeps the end of what was pushed, and counts the rest', () => {
  fc.assert(
    fc.property(pushes, fc.integer({ min: 1, max: 200 }), fc.nat(50), (given, bytesMax, less) => {
      const tail = createRawTail(bytesMax);
      for (const [stream, bytes] of given) tail.push(stream, bytes);
      const all = bytesOf(given.map(([stream, bytes]) => ({ stream, bytes })));
      assert.equal(tail.totalBytes, all.length);
      assert.equal(tail.droppedBytes, Math.max(0, all.length - bytesMax));
      const kept = all.slice(tail.droppedBytes);
      assert.deepEqual(bytesOf(tail.pieces(less)), kept.slice(0, Math.max(0, kept.length - less)));
    }),
  );
});

test('its ending is of one stream', () => {
  fc.assert(
    fc.property(pushes, fc.integer({ min: 1, max: 100 }), (given, most) => {
      const tail = createRawTail(1_000_000);
      for (const [stream, bytes] of given) tail.push(stream, bytes);
      const all = bytesOf(given.map(([stream, bytes]) => ({ stream, bytes })));
      const last = all.at(-1)?.split(' ')[0];
      const from = all.findLastIndex((entry) => entry.split(' ')[0] !== last) + 1;
      const expected = all
        .slice(Math.max(from, all.length - most))
        .map((entry) => Number(entry.split(' ')[1]));
      assert.deepEqual([...tail.ending(most)], expected);
    }),
  );
});

test('a stream of single bytes from both sides does not make its lists grow', () => {
  const tail = createRawTail(1_000);
  for (let count = 0; count < 100_000; count += 1) {
    tail.push(count % 2 === 0 ? 'stdout' : 'stderr', Uint8Array.of(count % 256));
  }
  assert.equal(tail.pieces(0).length, 1_000);
});
