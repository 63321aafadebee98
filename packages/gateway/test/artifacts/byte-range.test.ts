/*
 * Ranges of bytes: whatever is asked for, the answer lies within the file, and the good ones mean what RFC 9110 says.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseRange } from '../../src/artifacts/byte-range.ts';

test('the examples of the standard', () => {
  const part = (first: number, last: number) => ({ kind: 'part', first, last });
  const whole = { kind: 'whole' };
  const unsatisfiable = { kind: 'unsatisfiable' };
  for (const [header, expected] of [
    ['bytes=0-499', part(0, 499)],
    ['bytes=500-999', part(500, 999)],
    ['bytes=-500', part(9_500, 9_999)],
    ['bytes=9500-', part(9_500, 9_999)],
    ['bytes=0-0', part(0, 0)],
    ['bytes=-1', part(9_999, 9_999)],
    ['bytes=0-99999', part(0, 9_999)],
    ['bytes=-99999', part(0, 9_999)],
    ['BYTES=5-', part(5, 9_999)],
    ['bytes=10000-', unsatisfiable],
    ['bytes=-0', unsatisfiable],
    ['bytes=5-4', whole],
    ['bytes=0-1,5-6', whole],
    ['lines=0-1', whole],
    ['bytes=-', whole],
    ['bytes=a-b', whole],
    ['bytes=1-2-3', whole],
    ['bytes=0x1-', whole],
    ['bytes=99999999999999999999-', whole],
    ['', whole],
    [undefined, whole],
  ] as const) {
    assert.deepEqual(parseRange(header, 10_000), expected, header);
  }
  assert.deepEqual(parseRange('bytes=0-', 0), unsatisfiable);
  assert.deepEqual(parseRange('bytes=-5', 0), unsatisfiable);
});

test('no header leads out of the file', () => {
  const odd = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.tuple(fc.nat(), fc.nat()).map(([from, to]) => `bytes=${from}-${to}`),
    fc.nat().map((length) => `bytes=-${length}`),
    fc.stringMatching(/^bytes=[0-9, -]{0,20}$/),
  );
  fc.assert(
    fc.property(odd, fc.nat(1_000_000), (header, size) => {
      const range = parseRange(header, size);
      if (range.kind !== 'part') return;
      assert.ok(range.first >= 0 && range.first <= range.last && range.last < size);
    }),
  );
});

test('every part that is asked for properly is that part', () => {
  const parts = fc
    .tuple(fc.integer({ min: 1, max: 1_000_000 }), fc.nat(), fc.nat())
    .map(([size, from, length]) => {
      const first = from % size;
      return { size, first, last: Math.min(size - 1, first + length) };
    });
  fc.assert(
    fc.property(parts, ({ size, first, last }) => {
      const asked = { kind: 'part', first, last };
      assert.deepEqual(parseRange(`bytes=${first}-${last}`, size), asked);
      const suffix = { kind: 'part', first, last: size - 1 };
      assert.deepEqual(parseRange(`bytes=-${size - first}`, size), suffix);
    }),
  );
});
