/*
 * The key encoder: a table whose bytes were compared with what tmux 3.3a sends to a program and with terminfo's
 * xterm-256color; key-oracle.test.ts compares them again where tmux is installed.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { encodeKeys, type KeyModes } from '../../src/keys/encode-keys.ts';
import { keyNames } from '../../src/keys/key-table.ts';

const normal: KeyModes = { applicationCursor: false, applicationKeypad: false };
const application: KeyModes = { applicationCursor: true, applicationKeypad: true };

function sent(key: string, modes: KeyModes = normal): string {
  const result = encodeKeys({ keys: [key] }, modes);
  return result.ok ? Buffer.from(result.bytes).toString().replaceAll('\u001b', 'ESC ') : 'refused';
}

const table: readonly (readonly [keys: string, sent: string])[] = [
  ['a A 1 ; - ^ é 日 😀', ''],
  ['C-x ^x c-X C-S-x', '\u0018'],
  ['C-a ^A', '\u0001'],
  ['C-@ C-Space C-2', '\u0000'],
  ['C-[ ^[ C-3 Esc Escape escape C-Esc', 'ESC '],
  ['C-\\ C-4', '\u001c'],
  ['C-] C-5', '\u001d'],
  ['C-^ ^^ C-6', '\u001e'],
  ['C-_ C-/ C-7', '\u001f'],
  ['C-? ^? C-8 BSpace S-BSpace', '\u007f'],
  ['C-BSpace', '\b'],
  ['M-x', 'ESC x'],
  ['M-X M-S-x S-M-x', 'ESC X'],
  ['M--', 'ESC -'],
  ['M-é', 'ESC é'],
  ['C-M-x M-C-x M-^x', 'ESC \u0018'],
  ['C-M-Space', 'ESC \u0000'],
  ['M-Space', 'ESC  '],
  ['M-[', 'ESC ['],
  ['S-a', 'A'],
  ['S-é', 'É'],
  ['Enter C-Enter S-Enter ENTER', '\r'],
  ['M-Enter', 'ESC \r'],
  ['Tab C-Tab', '\t'],
  ['M-Tab', 'ESC \t'],
  ['S-Tab BTab S-BTab', 'ESC [Z'],
  ['Space S-Space', ' '],
  ['M-BSpace', 'ESC \u007f'],
  ['Up', 'ESC [A'],
  ['Down', 'ESC [B'],
  ['Right', 'ESC [C'],
  ['Left', 'ESC [D'],
  ['Home', 'ESC [H'],
  ['End', 'ESC [F'],
  ['S-Up', 'ESC [1;2A'],
  ['M-Up', 'ESC [1;3A'],
  ['M-S-Up', 'ESC [1;4A'],
  ['C-Up', 'ESC [1;5A'],
  ['C-S-Up S-C-Up', 'ESC [1;6A'],
  ['C-M-Up', 'ESC [1;7A'],
  ['C-M-S-Up', 'ESC [1;8A'],
  ['C-Home', 'ESC [1;5H'],
  ['PgUp PageUp PPage', 'ESC [5~'],
  ['PgDn PageDown NPage', 'ESC [6~'],
  ['IC Insert', 'ESC [2~'],
  ['DC Delete', 'ESC [3~'],
  ['C-PgUp', 'ESC [5;5~'],
  ['S-DC', 'ESC [3;2~'],
  ['F1', 'ESC OP'],
  ['F2', 'ESC OQ'],
  ['F3', 'ESC OR'],
  ['F4', 'ESC OS'],
  ['F5', 'ESC [15~'],
  ['F6', 'ESC [17~'],
  ['F7', 'ESC [18~'],
  ['F8', 'ESC [19~'],
  ['F9', 'ESC [20~'],
  ['F10', 'ESC [21~'],
  ['F11', 'ESC [23~'],
  ['F12', 'ESC [24~'],
  ['S-F1', 'ESC [1;2P'],
  ['M-F5', 'ESC [15;3~'],
  ['KP0', '0'],
  ['KP9', '9'],
  ['KP/', '/'],
  ['KP*', '*'],
  ['KP-', '-'],
  ['KP+', '+'],
  ['KP.', '.'],
  ['KPEnter', '\r'],
  ['M-KP0', 'ESC 0'],
];

for (const [keys, expected] of table) {
  test(`${keys} is sent as an xterm sends it`, () => {
    for (const key of keys.split(' ')) assert.equal(sent(key), expected || key, key);
  });
}

const applicationTable: readonly (readonly [key: string, sent: string])[] = [
  ['Up', 'ESC OA'],
  ['Left', 'ESC OD'],
  ['Home', 'ESC OH'],
  ['End', 'ESC OF'],
  ['C-Up', 'ESC [1;5A'],
  ['PgUp', 'ESC [5~'],
  ['F1', 'ESC OP'],
  ['KP0', 'ESC Op'],
  ['KP5', 'ESC Ou'],
  ['KP9', 'ESC Oy'],
  ['KP/', 'ESC Oo'],
  ['KP*', 'ESC Oj'],
  ['KP-', 'ESC Om'],
  ['KP+', 'ESC Ok'],
  ['KP.', 'ESC On'],
  ['KPEnter', 'ESC OM'],
  ['M-KP0', 'ESC ESC Op'],
];

test('cursor keys and the keypad honour application mode', () => {
  for (const [key, expected] of applicationTable) assert.equal(sent(key, application), expected);
});

test('literal goes first, then hex, then keys', () => {
  const result = encodeKeys(
    { keys: ['Enter'], hex: ['0x1b', '5B', '5'], literal: 'é C-x' },
    normal,
  );
  assert.ok(result.ok);
  assert.deepEqual(Buffer.from(result.bytes).toString(), 'é C-x\u001b[\u0005\r');
});

test('nothing asked is nothing sent', () => {
  assert.deepEqual(encodeKeys({}, normal), { ok: true, bytes: Buffer.alloc(0) });
});

test('a key that does not exist is refused with the nearest that does, and nothing is typed', () => {
  const problemOf = (key: string) => {
    const result = encodeKeys({ keys: ['a', key] }, normal);
    assert.ok(!result.ok, key);
    return result;
  };
  assert.equal(problemOf('Entre').suggestion, 'Enter');
  assert.equal(problemOf('Return').suggestion, 'Enter');
  assert.equal(problemOf('C-Backspace').suggestion, 'C-BSpace');
  assert.equal(problemOf('C-Pgup2').suggestion, 'C-PgUp');
  assert.equal(problemOf('hello world').suggestion, undefined);
  assert.match(problemOf('hello world').problem, /literal/);
  assert.equal(problemOf('F13').ok, false);
  for (const key of ['', 'C-', 'C-é', 'C-1', 'S-1', 'C-KP0', 'S-KP1', '\ud800', 'X-x', 'C-;']) {
    problemOf(key);
  }
});

test('hex that is not a byte is refused', () => {
  for (const digits of ['', 'zz', '100', '1b5b', '-1', '0x']) {
    assert.equal(encodeKeys({ hex: [digits] }, normal).ok, false, digits);
  }
});

test('any key is either refused or a character or a whole sequence', () => {
  const modifier = fc.constantFrom('C-', 'M-', 'S-', '^');
  const key = fc
    .tuple(
      fc.array(modifier, { maxLength: 4 }),
      fc.oneof(fc.constantFrom(...keyNames), fc.string()),
    )
    .map(([modifiers, name]) => modifiers.join('') + name);
  fc.assert(
    fc.property(fc.oneof(key, fc.string({ unit: 'binary' })), fc.boolean(), (name, isOn) => {
      const modes = { applicationCursor: isOn, applicationKeypad: isOn };
      const result = encodeKeys({ keys: [name] }, modes);
      if (!result.ok) return result.problem !== '';
      const text = Buffer.from(result.bytes).toString();
      // oxlint-disable-next-line no-control-regex -- keys are control characters
      return /^\u001b?(?:\u001b?(?:\[[0-9;]*[A-Z~]|O[A-Za-z])|.)$/su.test(text);
    }),
  );
});
