/*
 * Reading a stream: all of it, its failure, and letting go of it in the middle; also where a stream cannot be looped over.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readStream } from '../src/read-stream.ts';

/* As Safari has it: a stream without an iterator. */
function withoutIterator<Piece>(stream: ReadableStream<Piece>): ReadableStream<Piece> {
  Object.defineProperty(stream, Symbol.asyncIterator, { value: undefined });
  Object.defineProperty(stream, 'values', { value: undefined });
  return stream;
}

test('every piece comes, and the stream is free afterwards', async () => {
  const stream = withoutIterator(ReadableStream.from(['a', 'b', 'c']));
  assert.deepEqual(await Array.fromAsync(readStream(stream)), ['a', 'b', 'c']);
  assert.equal(stream.locked, false);
});

test('a stream that fails throws to the reader', async () => {
  const failure = new Error('cut');
  const stream = new ReadableStream({ start: (controller) => controller.error(failure) });
  await assert.rejects(Array.fromAsync(readStream(stream)), failure);
  assert.equal(stream.locked, false);
});

test('leaving the loop cancels the stream', async () => {
  let isCancelled = false;
  const stream = new ReadableStream<number>({
    pull: (controller) => controller.enqueue(1),
    cancel: () => {
      isCancelled = true;
    },
  });
  for await (const piece of readStream(stream)) {
    assert.equal(piece, 1);
    break;
  }
  assert.ok(isCancelled);
  assert.equal(stream.locked, false);
});
