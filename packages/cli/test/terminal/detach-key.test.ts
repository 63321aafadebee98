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
  assert.equal(createDetachKey('Ctrl-]').push(bytes('\u001d\u001d')).isDetach, true);
  const key = createDetachKey('Ctrl-]');
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
  assert.equal(text(createDetachKey('Ctrl-]').push(bytes('exit\r\u001d\u001d')).pass), 'exit\r');
});

test('one press goes through with the next key, or when its time is over', () => {
  const key = createDetachKey('Ctrl-]');
  assert.equal(text(key.push(bytes('\u001d')).pass), '');
  assert.equal(text(key.push(bytes('x')).pass), '\u001dx');
  key.push(bytes('\u001d'));
  assert.equal(text(key.release()), '\u001d');
  assert.equal(text(key.release()), '');
});

test('the encodings that programs may ask for are the same key', () => {
  for (const press of ['\u001b[93;5u', '\u001b[93;5:1u', '\u001b[93;133u', '\u001b[27;5;93~']) {
    assert.equal(createDetachKey('Ctrl-]').push(bytes(press + press)).isDetach, true, press);
  }
  const kitty = '\u001b[93;5:1u\u001b[93;5:3u\u001b[57442;5:3u\u001b[57442;5u\u001b[93;5u';
  assert.equal(createDetachKey('Ctrl-]').push(bytes(kitty)).isDetach, true);
  assert.equal(createDetachKey('Ctrl-]').push(bytes('\u001b[93;6u\u001b[93;6u')).isDetach, false);
});

test('a lone escape is never held back', () => {
  const step = createDetachKey('Ctrl-]').push(bytes('\u001b'));
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
      const key = createDetachKey('Ctrl-]');
      const parts = [whole.slice(0, cut), whole.slice(cut)].map(
        (part) => key.push(bytes(part)).pass,
      );
      assert.equal(parts.map(text).join('') + text(key.release()), whole);
    }),
  );
});

test('another key can be chosen, or none', () => {
  const detaches = (name: string, typed: string): boolean =>
    createDetachKey(name).push(bytes(typed)).isDetach;
  assert.ok(detaches('Ctrl-A', '\u0001\u0001'));
  assert.ok(detaches('Ctrl-A', '\u001b[97;5u\u001b[97;5u'));
  assert.ok(detaches('Ctrl-A', '\u001b[27;5;97~\u0001'));
  assert.ok(!detaches('Ctrl-A', '\u001d\u001d'));
  assert.ok(detaches('Ctrl-\\', '\u001c\u001c'));
  assert.ok(detaches('Ctrl-^', '\u001e\u001e'));
  assert.ok(detaches('Ctrl-^', '\u001b[54:94;6u\u001b[54:94;6u'));
  assert.ok(!detaches('none', '\u001d\u001d'));
});
