/*
 * The text of a login code: what is shown, and everything that a person may make of it.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSeededRandom } from '@clawdfather/testkit';
import { hashCode, newCode, parseCode } from '../../src/auth/code-text.ts';

test('a code has eight characters that are told apart, and each of them comes', () => {
  const random = createSeededRandom(7);
  const seen = new Set<string>();
  for (let count = 0; count < 500; count += 1) {
    const code = newCode(random);
    assert.match(code, /^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/);
    assert.equal(parseCode(code), code.replace('-', ''));
    for (const character of code.replace('-', '')) seen.add(character);
  }
  assert.equal(seen.size, 32);
});

test('case, space and look-alikes do not count; what is no code is none', () => {
  for (const text of ['K7QM-2X01', 'k7qm2x01', ' k7 qm–2xol '.replace('–', '-'), 'K7QM 2XOI']) {
    assert.equal(parseCode(text), 'K7QM2X01', text);
  }
  for (const text of ['', 'K7QM2X0', 'K7QM2X011', 'K7QM2X0U', 'K7QM2X0é', 'K7QM/2X01']) {
    assert.equal(parseCode(text), undefined, text);
  }
});

test('its hash is the same each time, and not one that is tried fast', async () => {
  const hash = await hashCode('K7QM2X01');
  assert.equal(hash, await hashCode('K7QM2X01'));
  assert.notEqual(hash, await hashCode('K7QM2X02'));
  assert.match(hash, /^[0-9a-f]{64}$/);
});
