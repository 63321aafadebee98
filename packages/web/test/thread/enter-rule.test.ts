/*
 * Which keys send a message, and which never do.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { doesKeySend, doesLineBreakSend } from '../../src/thread/composer/enter-rule.ts';

const enter = {
  key: 'Enter',
  keyCode: 13,
  isComposing: false,
  shiftKey: false,
  ctrlKey: false,
  metaKey: false,
};
const desk = { enterSends: 'keyboard', isTouch: false } as const;
const phone = { enterSends: 'keyboard', isTouch: true } as const;

test('Enter sends on a keyboard and makes a line on a phone, unless the person wants it otherwise', () => {
  assert.equal(doesKeySend(enter, desk), true);
  assert.equal(doesKeySend(enter, phone), false);
  assert.equal(doesKeySend(enter, { ...phone, enterSends: 'always' }), true);
  assert.equal(doesKeySend(enter, { ...desk, enterSends: 'never' }), false);
});

test('Shift+Enter is a line, Ctrl+Enter and Cmd+Enter send everywhere', () => {
  assert.equal(doesKeySend({ ...enter, shiftKey: true }, desk), false);
  assert.equal(doesKeySend({ ...enter, ctrlKey: true }, phone), true);
  assert.equal(doesKeySend({ ...enter, metaKey: true }, { ...desk, enterSends: 'never' }), true);
});

test('while a character is put together nothing is sent, by whichever sign the browser says so', () => {
  for (const ways of [desk, { ...phone, enterSends: 'always' } as const]) {
    assert.equal(doesKeySend({ ...enter, isComposing: true }, ways), false);
    assert.equal(doesKeySend({ ...enter, keyCode: 229 }, ways), false);
    assert.equal(doesKeySend({ ...enter, keyCode: 229, ctrlKey: true }, ways), false);
  }
});

test('a line break of a keyboard that names no key sends only for who wants Enter to send', () => {
  const line = { inputType: 'insertLineBreak', isComposing: false };
  assert.equal(doesLineBreakSend(line, 229, { ...phone, enterSends: 'always' }), true);
  assert.equal(doesLineBreakSend(line, 229, phone), false);
  assert.equal(doesLineBreakSend(line, 13, { ...phone, enterSends: 'always' }), false);
  const inside = { ...line, isComposing: true };
  assert.equal(doesLineBreakSend(inside, 229, { ...phone, enterSends: 'always' }), false);
});
