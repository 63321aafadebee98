/*
 * Lines from chunks, however they are cut.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createLineSplitter } from '../../src/mcp/split-lines.ts';

test('lines come out whole whatever the chunks are', () => {
  const line = fc.string({ unit: 'binary' }).map((text) => text.replaceAll('\n', ' '));
  fc.assert(
    fc.property(fc.array(line), fc.array(fc.integer({ min: 1, max: 7 })), (lines, cuts) => {
      const bytes = Buffer.from(lines.map((text) => `${text}\n`).join(''));
      const splitter = createLineSplitter(10_000);
      const got: string[] = [];
      let from = 0;
      for (const size of [...cuts, bytes.length]) {
        for (const one of splitter.push(bytes.subarray(from, from + size))) {
          got.push(one.kind === 'line' ? one.text : one.kind);
        }
        from += size;
      }
      // What is no character at all is replaced, as any decoder does.
      assert.deepEqual(
        got,
        lines.map((text) => Buffer.from(text).toString()),
      );
    }),
  );
});

test('a line over the limit is dropped up to its newline, and the next one is read', () => {
  const splitter = createLineSplitter(4);
  const lines = ['abcd\n', 'ab', 'cde', 'fg\nxy', '\n'].flatMap((text) =>
    splitter.push(Buffer.from(text)),
  );
  assert.deepEqual(lines, [
    { kind: 'line', text: 'abcd' },
    { kind: 'too-long' },
    { kind: 'line', text: 'xy' },
  ]);
});
