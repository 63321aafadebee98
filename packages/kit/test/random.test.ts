/*
 * Ids: their shape, their alphabet, and that they do not repeat.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRandom, createSystemRandom, isId } from '@clawdfather/kit';

test('an id is 16 characters without i, l, o and u', () => {
  const random = createSystemRandom();
  const seen = new Set<string>();
  for (let count = 0; count < 2_000; count += 1) {
    const id = random.id();
    assert.match(id, /^[0-9abcdefghjkmnpqrstvwxyz]{16}$/);
    assert.ok(isId(id));
    for (const character of id) seen.add(character);
  }
  assert.equal(seen.size, 32);
});

test('ids do not repeat', () => {
  const random = createSystemRandom();
  const ids = new Set(Array.from({ length: 10_000 }, () => random.id()));
  assert.equal(ids.size, 10_000);
});

test('every one of the 80 bits reaches the id', () => {
  const filledWith = (bytes: readonly number[]) => createRandom((target) => target.set(bytes)).id();
  assert.equal(filledWith([0, 0, 0, 0, 0, 0, 0, 0, 0, 0]), '0000000000000000');
  assert.equal(filledWith([255, 255, 255, 255, 255, 255, 255, 255, 255, 255]), 'zzzzzzzzzzzzzzzz');
  assert.equal(filledWith([0x08, 0x86, 0x42, 0x98, 0xe8, 0x4a, 0x96, 0xc6, 0xb9, 0xf0]).length, 16);
  const ids = new Set<string>();
  for (let bit = 0; bit < 80; bit += 1) {
    const bytes = Array.from({ length: 10 }, () => 0);
    bytes[bit >> 3] = 1 << (bit & 7);
    ids.add(filledWith(bytes));
  }
  assert.equal(ids.size, 80);
});

test('more bytes than one call of the platform gives are all random', () => {
  const bytes = createSystemRandom().bytes(200_000);
  assert.equal(bytes.length, 200_000);
  assert.ok(bytes.subarray(150_000).some((byte) => byte !== 0));
});

test('what is not an id is refused', () => {
  for (const text of [
    '',
    '0123456789abcde',
    '0123456789abcdefg',
    '0123456789ABCDEF',
    'iiiiiiiiiiiiiiii',
    '0123456789abcde\n',
  ]) {
    assert.equal(isId(text), false, JSON.stringify(text));
  }
});
