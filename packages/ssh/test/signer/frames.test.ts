/*
 * FR1: a stream in any pieces gives the same messages; a length beyond the limit ends it.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createFrameReader, formatFrame } from '../../src/signer/frames.ts';

const message = fc.uint8Array({ minLength: 1, maxLength: 64 }).map((bytes) => Buffer.from(bytes));

test('messages come out whole and in order, however the stream is cut', () => {
  fc.assert(
    fc.property(
      fc.array(message, { maxLength: 6 }),
      fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 200 }),
      (messages, sizes) => {
        const stream = Buffer.concat(messages.map(formatFrame));
        const reader = createFrameReader(64);
        const found: Buffer[] = [];
        for (let at = 0, piece = 0; at < stream.length; piece += 1) {
          const size = sizes[piece % sizes.length] ?? 1;
          found.push(...(reader.push(stream.subarray(at, at + size)) ?? []));
          at += size;
        }
        assert.deepEqual(found, messages);
      },
    ),
  );
});

test('a message that is too long or empty ends the stream, for good', () => {
  for (const length of [0, 65, 0xffff_ffff]) {
    const reader = createFrameReader(64);
    const head = Buffer.alloc(4);
    head.writeUInt32BE(length);
    assert.equal(reader.push(head), undefined);
    assert.equal(reader.push(formatFrame(Buffer.from('x'))), undefined);
  }
});
