/*
 * A run's output as text to read: decoded, without escape sequences, other control characters made visible.
 *
 * Stages:
 *   1. bytes are decoded as UTF-8; an incomplete sequence waits for the next piece, an invalid one is U+FFFD;
 *   2. escape sequences of every kind are taken out. They are recognised in decoded text, so a C1 control counts as one
 *      only as the code point that a terminal in UTF-8 obeys: the bytes 0x80…0x9f of some other encoding are U+FFFD and
 *      hide nothing (terminal/sequences.ts reads bytes, because it has to pass them on as they are);
 *   3. what is left of control characters is shown as `\xNN`; newline and tab stay.
 *
 * Promises:
 *   1. any division of the same bytes into pieces gives the same text;
 *   2. what is held between two pieces is an incomplete character, a carriage return and a state, never text;
 *   3. a sequence that is not finished is given up after a bound, and what follows is shown.
 *
 * Carriage returns: CR LF is a newline, and so is CR CR LF, which a terminal makes of CR LF. A lone CR, as progress bars
 * use it, begins a new line unless the line is still empty. Overwriting would read better, but what was handed out
 * cannot be taken back, and holding a line until it is finished would hide prompts.
 *
 * Direction controls and tag characters are shown as `\u202e`: the first make text look like other text, the second are
 * letters that nobody sees. Joiners stay, since words and emoji are made with them.
 */
import { TextDecoder } from 'node:util';
import { escapeCharacter } from '@clawdfather/kit';
import { copyOf } from './copy-of.ts';

export interface TextCleaner {
  /* The text that is certain by now. */
  push(bytes: Uint8Array): string;
  /* What was held back. The cleaner is as new afterwards. */
  end(): string;
}

/* Images are sent as control strings of about this size; a longer one was never finished and must not hide the rest. */
export const controlStringCharactersMax = 1_024 * 1_024;
/* Sequences in use stay far below. */
export const sequenceCharactersMax = 256;

/*
 * Whatever is not passed on as it is: C0 but newline and tab, DEL, C1, direction controls, tags (as surrogates). A control
 * sequence that is all there comes in one piece, as the grammar below would take it: most of them are.
 */
const special =
  // oxlint-disable-next-line no-control-regex -- control characters are the point
  /\u001b\[[ -?]{0,255}[@-~]|[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]|\udb40[\udc00-\udc7f]/g;

/* What can end a control string: BEL, CAN, SUB, ESC, any C1. */
// oxlint-disable-next-line no-control-regex -- control characters are the point
const stringEnd = /[\u0007\u0018\u001a\u001b\u0080-\u009f]/g;

const BEL = '\u0007';
const CAN = '\u0018';
const SUB = '\u001a';
const ESC = '\u001b';

type State =
  | { readonly kind: 'ground' }
  /* After ESC, or inside CSI; `length` counts what followed. */
  | { readonly kind: 'escape' | 'csi'; readonly length: number }
  | { readonly kind: 'string'; readonly isOsc: boolean; readonly length: number }
  /* ESC inside a string: the first half of its end, or the beginning of something else. */
  | { readonly kind: 'string-escape' };

/* Direction controls and tags, in text that has no other controls. */
export function showHiddenMarks(text: string): string {
  return text.replace(special, escapeCharacter);
}

interface Cleaning {
  state: State;
  isReturnPending: boolean;
  isAtLineStart: boolean;
  pieces: string[];
}

const ground: State = { kind: 'ground' };
const escape: State = { kind: 'escape', length: 0 };

const fresh = (): Cleaning => ({
  state: ground,
  isReturnPending: false,
  isAtLineStart: true,
  pieces: [],
});

/* A byte order mark is text like any other. */
const newDecoder = (): TextDecoder => new TextDecoder('utf-8', { ignoreBOM: true });

export function createTextCleaner(): TextCleaner {
  let decoder = newDecoder();
  let cleaning = fresh();
  const clean = (text: string): string => {
    for (let at = 0; at < text.length; ) at = takeAt(cleaning, text, at);
    const { pieces } = cleaning;
    cleaning.pieces = [];
    const [only = ''] = pieces;
    // A slice of a large piece would keep all of it in memory; joining makes a string of its own.
    return pieces.length > 1 || only.length === text.length ? pieces.join('') : copyOf(only);
  };
  return {
    push: (bytes) => clean(decoder.decode(bytes, { stream: true })),
    end: () => {
      const text = clean(decoder.decode());
      decoder = newDecoder();
      cleaning = fresh();
      return text;
    },
  };
}

/* Takes in what stands at `at`; returns where to go on. */
function takeAt(cleaning: Cleaning, text: string, at: number): number {
  const { state } = cleaning;
  switch (state.kind) {
    case 'ground':
      return takePlain(cleaning, text, at);
    case 'string':
      return takeInString(cleaning, text, at);
    case 'string-escape': {
      const isEnd = text[at] === '\\';
      cleaning.state = isEnd ? ground : escape;
      return isEnd ? at + 1 : at;
    }
    case 'escape':
    case 'csi':
      return takeInSequence(cleaning, text[at] ?? '') ? at + 1 : at;
  }
}

function takePlain(cleaning: Cleaning, text: string, at: number): number {
  special.lastIndex = at;
  const match = special.exec(text);
  const end = match?.index ?? text.length;
  emit(cleaning, text.slice(at, end));
  if (match === null) return end;
  const [found] = match;
  if (found[0] !== ESC || found.length === 1) takeSpecial(cleaning, found);
  return end + found.length;
}

function emit(cleaning: Cleaning, text: string): void {
  if (text === '') return;
  if (cleaning.isReturnPending && !cleaning.isAtLineStart && text[0] !== '\n') {
    cleaning.pieces.push('\n');
  }
  cleaning.isReturnPending = false;
  cleaning.isAtLineStart = text.endsWith('\n');
  cleaning.pieces.push(text);
}

/* A C1 control stands for ESC and a letter. */
const introducers: Readonly<Record<string, string>> = {
  '\u008e': 'N',
  '\u008f': 'O',
  '\u0090': 'P',
  '\u0098': 'X',
  '\u009b': '[',
  '\u009c': '\\',
  '\u009d': ']',
  '\u009e': '^',
  '\u009f': '_',
};

function takeSpecial(cleaning: Cleaning, character: string): void {
  const letter = introducers[character];
  if (character === ESC) cleaning.state = escape;
  else if (letter !== undefined) cleaning.state = afterEscape(letter);
  else {
    cleaning.state = ground;
    showControl(cleaning, character);
  }
}

function showControl(cleaning: Cleaning, character: string): void {
  if (character === '\r') cleaning.isReturnPending = true;
  else if (character === '\n' || character === '\t') emit(cleaning, character);
  else emit(cleaning, escapeCharacter(character));
}

/* The state after ESC and this letter. A single shift (N, O) leaves the character it shifts, as terminals show it. */
function afterEscape(letter: string): State {
  if (letter === '[') return { kind: 'csi', length: 0 };
  return 'PX]^_'.includes(letter) ? { kind: 'string', isOsc: letter === ']', length: 0 } : ground;
}

/* One character inside `ESC …` or `CSI …`; false when it does not belong there and is to be read again as text. */
function takeInSequence(cleaning: Cleaning, character: string): boolean {
  const { state } = cleaning;
  if (state.kind !== 'escape' && state.kind !== 'csi') return false;
  const code = character.charCodeAt(0);
  if (character === ESC) cleaning.state = escape;
  else if (character === CAN || character === SUB) cleaning.state = ground;
  // Other controls inside a sequence are carried out at once; DEL is ignored.
  else if (code < 0x20) showControl(cleaning, character);
  else if (code > 0x7f || state.length >= sequenceCharactersMax) {
    cleaning.state = ground;
    return false;
  } else if (code < 0x7f) cleaning.state = nextInSequence(state, character);
  return true;
}

type Sequence = Extract<State, { kind: 'escape' | 'csi' }>;

/* ECMA-48: parameters and intermediates go on, a final ends; intermediates after ESC rule out an introducer. */
function nextInSequence(state: Sequence, character: string): State {
  const isFinal = character >= (state.kind === 'csi' ? '@' : '0');
  if (!isFinal) return { kind: state.kind, length: state.length + 1 };
  return state.kind === 'escape' && state.length === 0 ? afterEscape(character) : ground;
}

function takeInString(cleaning: Cleaning, text: string, at: number): number {
  const { state } = cleaning;
  if (state.kind !== 'string') return at;
  stringEnd.lastIndex = at;
  const end = stringEnd.exec(text)?.index ?? text.length;
  const left = controlStringCharactersMax - state.length;
  if (end - at >= left) {
    cleaning.state = ground;
    return at + left;
  }
  const length = state.length + end - at;
  const terminator = text[end];
  if (terminator === undefined || (terminator === BEL && !state.isOsc)) {
    cleaning.state = { ...state, length: terminator === undefined ? length : length + 1 };
  } else if (terminator === ESC) cleaning.state = { kind: 'string-escape' };
  else if (terminator < '\u0080' || terminator === '\u009c') cleaning.state = ground;
  // Any other C1 control cuts the string off and is obeyed.
  else takeSpecial(cleaning, terminator);
  return end + 1;
}
