/*
 * Pasted text stays text: nothing in it can end the paste, whatever a program takes for its end.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { encodePaste } from '../../src/keys/paste.ts';

const paste = (text: string, isBracketed = true): string =>
  Buffer.from(encodePaste(text, { isBracketed })).toString();

test('brackets only when the program asked for them', () => {
  assert.equal(paste('ls -l'), '\u001b[200~ls -l\u001b[201~');
  assert.equal(paste('ls -l', false), 'ls -l');
});

test('newlines are what the Enter key sends, tabs and other letters stay', () => {
  assert.equal(paste('a\nb\r\nc\rd\te é 日', false), 'a\rb\rc\rd\te é 日');
});

test('a run on pipes gets newlines as they are', () => {
  const bytes = encodePaste('a\nb', { isBracketed: false, isTerminal: false });
  assert.equal(Buffer.from(bytes).toString(), 'a\nb');
});

test('an embedded terminator is shown and does not end the paste', () => {
  assert.equal(paste('a\u001b[201~rm -rf /\n'), '\u001b[200~a␛[201~rm -rf /\r\u001b[201~');
  assert.equal(paste('a\u009b201~b'), '\u001b[200~a\ufffd201~b\u001b[201~');
});

test('a letter that holds the byte of CSI does not end the paste either', () => {
  assert.equal(paste('Û201~ÛÛ201~ Û2', false), '\ufffd201~Û\ufffd201~ Û2');
});

test('control characters that would act as keys are shown, bracketed or not', () => {
  assert.equal(paste('a\u0003b\u0004c\u007f\u0000', false), 'a␃b␄c␡␀');
});

const fragment = fc.oneof(
  fc.constantFrom(
    '\u001b',
    '\u001b[',
    '[',
    '201~',
    '\u009b',
    'Û',
    '2',
    '0',
    '1',
    '~',
    '\u001b[201~',
  ),
  fc.constantFrom(
    '\u001b\u001b[201~[201~',
    '\u001b[20\u001b[201~1~',
    '\u001b\u0000[201~',
    '\ud800',
  ),
  fc.string({ unit: 'binary', maxLength: 3 }),
);

test('no text can end the paste early, also not as a program that drops controls would read it', () => {
  fc.assert(
    fc.property(
      fc.array(fragment).map((parts) => parts.join('')),
      (text) => {
        const bytes = Buffer.from(encodePaste(text, { isBracketed: true }));
        const inside = bytes.subarray(6, -6);
        assert.ok(!inside.includes(0x1b), 'no ESC');
        assert.ok(!inside.toString().includes('\u009b'), 'no CSI as a code point');
        // As a byte of its own, in a program that does not read UTF-8, 0x9b is part of ordinary letters.
        assert.equal(bytes.toString().indexOf('\u001b[201~'), bytes.toString().length - 6);
      },
    ),
  );
});
