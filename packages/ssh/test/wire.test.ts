/*
 * SSH's encoding: what was written is read again, and what is cut, or has more than it should, is never taken for whole.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createWireReader, formatString, formatUint32 } from '../src/wire.ts';

const bytes = fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array));
const number = fc.integer({ min: 0, max: 0xffff_ffff });

test('strings and numbers are read as they were written, and the reader is whole', () => {
  fc.assert(
    fc.property(fc.array(bytes, { maxLength: 8 }), number, (strings, value) => {
      const reader = createWireReader(
        Buffer.concat([...strings.map(formatString), formatUint32(value)]),
      );
      for (const each of strings) assert.deepEqual(reader.string(), each);
      assert.equal(reader.uint32(), value);
      assert.equal(reader.isWhole(), true);
    }),
  );
});

test('WR1: a message that is cut anywhere, or goes on, is not whole', () => {
  fc.assert(
    fc.property(bytes, bytes, fc.nat(), (one, other, cut) => {
      const whole = Buffer.concat([formatString(one), formatString(other)]);
      const read = (message: Buffer): boolean => {
        const reader = createWireReader(message);
        reader.string();
        reader.string();
        return reader.isWhole();
      };
      assert.equal(read(whole.subarray(0, cut % whole.length)), false);
      assert.equal(read(Buffer.concat([whole, Buffer.from([0])])), false);
    }),
  );
});

test('WR1: any bytes can be read in any way; nothing throws, and nothing comes from outside', () => {
  const calls = fc.constantFrom('byte', 'boolean', 'uint32', 'string', 'name', 'rest' as const);
  fc.assert(
    fc.property(bytes, fc.array(calls, { maxLength: 12 }), (message, ways) => {
      const reader = createWireReader(message);
      let taken = 0;
      for (const way of ways) {
        const value = reader[way as 'string']();
        if (Buffer.isBuffer(value)) taken += value.length;
      }
      assert.ok(taken <= message.length);
    }),
  );
});

test('a boolean is 0 or 1, and a name is printable', () => {
  const two = createWireReader(Buffer.from([2]));
  two.boolean();
  assert.equal(two.isWhole(), false);
  const named = createWireReader(formatString('a\nb'));
  assert.equal(named.name(), '');
  assert.equal(named.isWhole(), false);
});
