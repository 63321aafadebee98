/*
 * The keys that have names, as tmux spells them, and what a terminal of the kind `xterm-256color` sends for them.
 *
 * tmux itself differs in places, because programs inside it see the terminal `screen`: its Home and End are `ESC [1~` and
 * `ESC [4~`, its KPEnter a line feed. Runs are told that their terminal is an xterm, so an xterm's keys are sent.
 */

/* How a key is sent, alone and with modifiers. */
export type KeyForm =
  /* One character: Enter, Tab, Space. */
  | { readonly kind: 'character'; readonly text: string }
  /* `CSI letter`, `SS3 letter` in application cursor mode, `CSI 1 ; modifiers letter`. */
  | { readonly kind: 'cursor'; readonly letter: string }
  /* `SS3 letter` always, `CSI 1 ; modifiers letter`. */
  | { readonly kind: 'function'; readonly letter: string }
  /* `CSI number ~`, `CSI number ; modifiers ~`. */
  | { readonly kind: 'tilde'; readonly number: number }
  /* The character, or `SS3 letter` in application keypad mode. */
  | { readonly kind: 'keypad'; readonly text: string; readonly letter: string }
  | { readonly kind: 'back-tab' };

const character = (text: string): KeyForm => ({ kind: 'character', text });
const cursor = (letter: string): KeyForm => ({ kind: 'cursor', letter });
const tilde = (number: number): KeyForm => ({ kind: 'tilde', number });
const keypad = (text: string, letter: string): KeyForm => ({ kind: 'keypad', text, letter });

const pageUp = tilde(5);
const pageDown = tilde(6);
const insert = tilde(2);
const remove = tilde(3);
const escape = character('\u001b');
const backspace = character('\u007f');

/* DEC left gaps between the numbers of function keys. */
const functionNumbers = [15, 17, 18, 19, 20, 21, 23, 24];

export const keyTable: Readonly<Record<string, KeyForm>> = {
  Enter: character('\r'),
  Tab: character('\t'),
  Esc: escape,
  Escape: escape,
  Space: character(' '),
  BSpace: backspace,
  BTab: { kind: 'back-tab' },
  Up: cursor('A'),
  Down: cursor('B'),
  Right: cursor('C'),
  Left: cursor('D'),
  Home: cursor('H'),
  End: cursor('F'),
  PgUp: pageUp,
  PageUp: pageUp,
  PPage: pageUp,
  PgDn: pageDown,
  PageDown: pageDown,
  NPage: pageDown,
  IC: insert,
  Insert: insert,
  DC: remove,
  Delete: remove,
  ...Object.fromEntries(
    ['P', 'Q', 'R', 'S'].map((letter, at) => [`F${at + 1}`, { kind: 'function', letter } as const]),
  ),
  ...Object.fromEntries(functionNumbers.map((number, at) => [`F${at + 5}`, tilde(number)])),
  ...Object.fromEntries(
    Array.from('pqrstuvwxy', (letter, digit) => [`KP${digit}`, keypad(String(digit), letter)]),
  ),
  'KP/': keypad('/', 'o'),
  'KP*': keypad('*', 'j'),
  'KP-': keypad('-', 'm'),
  'KP+': keypad('+', 'k'),
  'KP.': keypad('.', 'n'),
  KPEnter: keypad('\r', 'M'),
};

export const keyNames: readonly string[] = Object.keys(keyTable);

/* tmux takes names in any case. */
const byLowerCase = new Map(
  Object.entries(keyTable).map(([name, form]) => [name.toLowerCase(), form]),
);

export function keyFormOf(name: string): KeyForm | undefined {
  return byLowerCase.get(name.toLowerCase());
}
