/*
 * The detach key: twice leaves, once goes through, nothing else is touched.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createDetachKey } from '../../src/terminal/detach-key.ts';

const bytes = (text: string): Buffer => Buffer.from(text, 'latin1');
const text = (raw: Uint8Array): string => Buffer.from(raw).toString('latin1');

test('two presses detach, in one read or in two', () => {
  assert.equal(createDetachKey().push(bytes('\u001d\u001d')).isDetach, true);
  const key = createDetachKey();
  assert.deepEqual(
    { ...key.push(bytes('ab\u001d')), pass: 0 },
    {
      pass: 0,
      isHolding: true,
      isDetach: false,
    },
  );
  assert.equal(key.push(bytes('\u001d')).isDetach, true);
});

test('what was typed before the two presses still goes out', () => {
  assert.equal(text(createDetachKey().push(bytes('exit\r\u001d\u001d')).pass), 'exit\r');
});

test('one press goes through with the next key, or when its time is over', () => {
  const key = createDetachKey();
  assert.equal(text(key.push(bytes('\u001d')).pass), '');
  assert.equal(text(key.push(bytes('x')).pass), '\u001dx');
  key.push(bytes('\u001d'));
  assert.equal(text(key.release()), '\u001d');
  assert.equal(text(key.release()), '');
});

test('the encodings that programs may ask for are the same key', () => {
  for (const press of ['\u001b[93;5u', '\u001b[93;5:1u', '\u001b[93;133u', '\u001b[27;5;93~']) {
    assert.equal(createDetachKey().push(bytes(press + press)).isDetach, true, press);
  }
  const kitty = '\u001b[93;5:1u\u001b[93;5:3u\u001b[57442;5:3u\u001b[57442;5u\u001b[93;5u';
  assert.equal(createDetachKey().push(bytes(kitty)).isDetach, true);
  assert.equal(createDetachKey().push(bytes('\u001b[93;6u\u001b[93;6u')).isDetach, false);
});

test('a lone escape is never held back', () => {
  const step = createDetachKey().push(bytes('\u001b'));
  assert.deepEqual([text(step.pass), step.isHolding], ['\u001b', false]);
});

test('without two presses in a row every byte comes through, however it was cut', () => {
  const keys = fc.array(fc.constantFrom('a', '\u001d', '\u001b[A', 'é', '\u0000'), {
    maxLength: 20,
  });
  fc.assert(
    fc.property(keys, fc.nat(30), (typed, cut) => {
      const isFirst = (key: string, index: number): boolean =>
        key !== '\u001d' || typed[index - 1] !== '\u001d';
      const whole = typed.filter(isFirst).join('');
      const key = createDetachKey();
      const parts = [whole.slice(0, cut), whole.slice(cut)].map(
        (part) => key.push(bytes(part)).pass,
      );
      assert.equal(parts.map(text).join('') + text(key.release()), whole);
    }),
  );
});
