/*
 * Keys as the bytes that a terminal would send for them.
 *
 * `literal` first, then `hex`, then `keys`. A key is a name of the table, a character that stands for itself, or either
 * behind modifiers: `C-x`, `^x`, `M-x`, `C-M-Up`. What no terminal can send is refused, never typed as text: an agent that
 * misspells `Entre` should hear of it.
 */
import { suggestNearest } from '@clawdfather/kit';
import { type KeyForm, keyFormOf, keyNames } from './key-table.ts';

export interface KeyInput {
  readonly literal?: string | undefined;
  /* One byte each, two digits: `1b`, `0x1b`. */
  readonly hex?: readonly string[] | undefined;
  readonly keys?: readonly string[] | undefined;
}

/* What the program has asked the terminal for. */
export interface KeyModes {
  readonly applicationCursor: boolean;
  readonly applicationKeypad: boolean;
  /* There is no terminal: no line discipline makes a newline of what the Enter key sends. */
  readonly isOnPipes?: boolean;
}

export interface KeyProblem {
  readonly ok: false;
  readonly problem: string;
  /* A key that exists and looks much like it. */
  readonly suggestion: string | undefined;
}

export type EncodedKeys = { readonly ok: true; readonly bytes: Uint8Array } | KeyProblem;

export function encodeKeys(input: KeyInput, modes: KeyModes): EncodedKeys {
  const pieces: Uint8Array[] = [Buffer.from(input.literal ?? '')];
  for (const digits of input.hex ?? []) {
    const match = /^(?:0x)?([0-9a-f]{1,2})$/i.exec(digits);
    if (match === null) return refused(`hex ${quote(digits)} is not a byte, such as 1b or 0x1b`);
    pieces.push(Uint8Array.of(Number.parseInt(match[1] ?? '', 16)));
  }
  for (const key of input.keys ?? []) {
    const encoded = encodeKey(key, modes);
    if (typeof encoded !== 'string') return encoded;
    pieces.push(Buffer.from(modes.isOnPipes === true ? encoded.replaceAll('\r', '\n') : encoded));
  }
  return { ok: true, bytes: Buffer.concat(pieces) };
}

interface Modifiers {
  isControl: boolean;
  isMeta: boolean;
  isShift: boolean;
}

const ESC = '\u001b';
const CSI = '\u001b[';
const SS3 = '\u001bO';

function encodeKey(key: string, modes: KeyModes): string | KeyProblem {
  const { modifiers, name } = parseKey(key);
  if (isOneCharacter(name)) return encodeCharacter(key, name, modifiers);
  const form = keyFormOf(name);
  if (form === undefined) return unknownKey(key, name);
  if (form.kind === 'keypad' && (modifiers.isControl || modifiers.isShift)) {
    return refused(`${quote(key)}: terminals send nothing for C- and S- with keys of the keypad`);
  }
  return encodeForm(form, modifiers, modes);
}

/* Modifiers in any order, any case; `^x` is `C-x`. The last character is always a key: `C--`, `^^`. */
function parseKey(key: string): { readonly modifiers: Modifiers; readonly name: string } {
  const modifiers = { isControl: false, isMeta: false, isShift: false };
  let name = key;
  for (;;) {
    const [prefix = ''] = /^(?:\^|[cms]-)(?=.)/isu.exec(name) ?? [];
    if (prefix === '') return { modifiers, name };
    if (/^[c^]/i.test(prefix)) modifiers.isControl = true;
    else if (/^m/i.test(prefix)) modifiers.isMeta = true;
    else modifiers.isShift = true;
    name = name.slice(prefix.length);
  }
}

function isOneCharacter(name: string): boolean {
  return name !== '' && name.length === String.fromCodePoint(name.codePointAt(0) ?? 0).length;
}

function encodeCharacter(key: string, name: string, modifiers: Modifiers): string | KeyProblem {
  const { isControl, isMeta, isShift } = modifiers;
  // A lone half of a pair has no bytes.
  if (!name.isWellFormed()) return refused(`${quote(key)} is not a character`);
  let sent = name;
  if (isShift) {
    sent = name.toUpperCase();
    if (sent === name.toLowerCase()) {
      return refused(`${quote(key)}: write the character that Shift makes of it`);
    }
  }
  if (isControl) {
    const controlled = controlOf(sent);
    if (controlled === undefined) {
      return refused(`${quote(key)}: terminals have no byte for Control with this character`);
    }
    sent = controlled;
  }
  return isMeta ? ESC + sent : sent;
}

/* Digits and punctuation as xterm has them, for keyboards on which the real ones are hard to reach. */
const controlledPunctuation: Readonly<Record<string, string>> = {
  ' ': '\u0000',
  '2': '\u0000',
  '3': '\u001b',
  '4': '\u001c',
  '5': '\u001d',
  '6': '\u001e',
  '7': '\u001f',
  '8': '\u007f',
  '/': '\u001f',
  '?': '\u007f',
};

function controlOf(character: string): string | undefined {
  const upper = character.toUpperCase();
  if (upper >= '@' && upper <= '_' && upper.length === 1) {
    return String.fromCharCode(upper.charCodeAt(0) - 0x40);
  }
  return controlledPunctuation[character];
}

function encodeForm(form: KeyForm, modifiers: Modifiers, modes: KeyModes): string {
  // Terminals number the combinations: 1 and a bit for each.
  const number =
    1 + (modifiers.isShift ? 1 : 0) + (modifiers.isMeta ? 2 : 0) + (modifiers.isControl ? 4 : 0);
  const meta = modifiers.isMeta ? ESC : '';
  switch (form.kind) {
    case 'character':
      return meta + encodeNamedCharacter(form.text, modifiers);
    case 'back-tab':
      return `${meta}${CSI}Z`;
    case 'keypad':
      return meta + (modes.applicationKeypad ? SS3 + form.letter : form.text);
    case 'tilde':
      return number === 1 ? `${CSI}${form.number}~` : `${CSI}${form.number};${number}~`;
    case 'cursor':
      if (number > 1) return `${CSI}1;${number}${form.letter}`;
      return (modes.applicationCursor ? SS3 : CSI) + form.letter;
    case 'function':
      return number > 1 ? `${CSI}1;${number}${form.letter}` : SS3 + form.letter;
  }
}

/* Enter and Escape are the same with Control and Shift; programs cannot tell, and neither can we. */
function encodeNamedCharacter(text: string, { isControl, isShift }: Modifiers): string {
  if (text === '\t' && isShift) return `${CSI}Z`;
  if (text === ' ' && isControl) return '\u0000';
  if (text === '\u007f' && isControl) return '\b';
  return text;
}

function unknownKey(key: string, name: string): KeyProblem {
  const prefix = key.slice(0, key.length - name.length);
  const nearest =
    otherNames[name.toLowerCase()] ?? suggestNearest(name.toLowerCase(), lowerCaseNames);
  const suggestion = nearest === undefined ? undefined : keyNames[lowerCaseNames.indexOf(nearest)];
  return {
    ok: false,
    problem: `there is no key ${quote(key)}; text goes into literal`,
    suggestion: suggestion === undefined ? undefined : prefix + suggestion,
  };
}

/* What the same keys are called elsewhere. */
const otherNames: Readonly<Record<string, string>> = {
  return: 'enter',
  ret: 'enter',
  cr: 'enter',
  newline: 'enter',
  backspace: 'bspace',
  bs: 'bspace',
  del: 'delete',
  ins: 'insert',
  arrowup: 'up',
  arrowdown: 'down',
  arrowleft: 'left',
  arrowright: 'right',
  spacebar: 'space',
};

const lowerCaseNames = keyNames.map((name) => name.toLowerCase());

function refused(problem: string): KeyProblem {
  return { ok: false, problem, suggestion: undefined };
}

function quote(text: string): string {
  return JSON.stringify(text);
}
