/*
 * A terminal's output cut into text and control sequences, byte by byte.
 *
 * The grammar is the one of the VT500 parser that all terminals we know follow:
 * ESC starts anew from everywhere, CAN and SUB abort, C0 controls inside a
 * sequence are carried out at once, strings end with ST (OSC also with BEL).
 * C1 controls are recognised in both forms, as a byte of their own and as the
 * two UTF-8 bytes of U+0080…U+009F, because xterm obeys the latter too.
 *
 * What is cut where does not depend on how the bytes arrive in chunks. A string
 * longer than `stringBytesMax` comes as a head, parts and an end, so nothing
 * here grows without bound.
 */

import { isAscii } from 'node:buffer';
import { csiToken, escapeAt, plainEnd, printableEnd, wholeCsiEnd } from './bulk-tokens.ts';

export type StringKind = 'osc' | 'dcs' | 'sos' | 'pm' | 'apc';

export type Token =
  /* Printable bytes and C0 controls. */
  | { readonly kind: 'text'; readonly raw: Uint8Array }
  | {
      readonly kind: 'escape';
      readonly raw: Uint8Array;
      readonly intermediates: string;
      readonly final: string;
    }
  | {
      readonly kind: 'csi';
      readonly raw: Uint8Array;
      /* One of `<=>?`, or empty. */
      readonly prefix: string;
      readonly parameters: string;
      readonly intermediates: string;
      readonly final: string;
      /* C0 controls that were inside and take effect whatever becomes of the rest. */
      readonly controls: Uint8Array;
    }
  | {
      readonly kind: 'string';
      readonly raw: Uint8Array;
      readonly type: StringKind;
      readonly body: string;
    }
  | {
      readonly kind: 'string-head';
      readonly raw: Uint8Array;
      readonly type: StringKind;
      readonly body: string;
    }
  | { readonly kind: 'string-part'; readonly raw: Uint8Array }
  /* `raw` is the terminator; empty when the string was cut off by another sequence. */
  | { readonly kind: 'string-end'; readonly raw: Uint8Array }
  /* Not a sequence of any terminal, or cut off before its end. */
  | { readonly kind: 'malformed'; readonly raw: Uint8Array; readonly controls: Uint8Array };

/* No query is longer; only images, clipboards and long titles are. */
export const stringBytesMax = 4_096;
/* ECMA-48 parameters in use stay far below. */
const sequenceBytesMax = 256;

const ESC = 0x1b;
const BEL = 0x07;
const CAN = 0x18;
const SUB = 0x1a;
const none = new Uint8Array(0);

const stringIntroducers: Readonly<Record<number, StringKind>> = {
  0x50: 'dcs',
  0x58: 'sos',
  0x5d: 'osc',
  0x5e: 'pm',
  0x5f: 'apc',
};

type State =
  | { readonly kind: 'ground' }
  | { readonly kind: 'escape'; readonly held: number[] }
  | { readonly kind: 'csi'; readonly held: number[]; readonly controls: number[] }
  | {
      readonly kind: 'string';
      readonly type: StringKind;
      readonly held: number[];
      /* Where the body begins in `held`. */
      readonly bodyAt: number;
      /* The head is out; `held` is the part that is not yet. */
      isLong: boolean;
      isAfterEscape: boolean;
    };

const ground: State = { kind: 'ground' };

export interface Scanner {
  push(bytes: Uint8Array): void;
}

/* Shortcuts for those who want little of it: a day of a full-screen program has millions of tokens. */
export interface ScannerOptions {
  /* Called for a control sequence that lies whole in `bytes`; true when no token is wanted. */
  readonly skip?: (bytes: Uint8Array, from: number, end: number) => boolean;
  /* False leaves out most texts. Default true. */
  readonly areTextsWanted?: boolean;
}

export function createScanner(emit: (token: Token) => void, options: ScannerOptions = {}): Scanner {
  const { skip = () => false, areTextsWanted = true } = options;
  let state: State = ground;
  /* Continuation bytes still to come of a multi-byte character. */
  let continuations = 0;
  /* 0xC2 may be the first half of a C1 control. */
  let isC2Held = false;

  const step = (byte: number, raw: readonly number[]): void => {
    state = next(state, { byte, raw }, emit);
  };

  /* One byte that is not plain ground text. */
  const take = (byte: number): void => {
    if (isC2Held) {
      isC2Held = false;
      if (byte >= 0x80 && byte <= 0x9f) {
        step(byte, [0xc2, byte]);
        return;
      }
      step(0x100, [0xc2]);
      continuations = 1;
    }
    if (byte === 0xc2) {
      isC2Held = true;
      continuations = 0;
      return;
    }
    if (byte < 0x80) {
      continuations = 0;
      step(byte, [byte]);
      return;
    }
    const isContinuation = byte < 0xc0 && continuations > 0;
    if (isContinuation) continuations -= 1;
    else continuations = byte >= 0xf0 ? 3 : byte >= 0xe0 ? 2 : byte >= 0xc0 ? 1 : 0;
    const isControl = !isContinuation && byte < 0xa0;
    // 0x100 stands for "a byte of a character": it ends what only ASCII may continue.
    step(isControl ? byte : 0x100, [byte]);
  };

  /* Text and whole control sequences; returns where a closer look is needed. */
  const takeInBulk = (bytes: Uint8Array, from: number, textEnd: typeof plainEnd): number => {
    let at = from;
    for (;;) {
      const end = textEnd(bytes, at);
      if (end > at && areTextsWanted) emit({ kind: 'text', raw: bytes.subarray(at, end) });
      at = wholeCsiEnd(bytes, end, sequenceBytesMax);
      if (at === 0) return end;
      if (!skip(bytes, end, at)) emit(csiToken(bytes, end, at));
    }
  };

  return {
    push: (bytes) => {
      let at = 0;
      const isAsciiOnly = isAscii(bytes);
      while (at < bytes.length) {
        if (state.kind === 'ground' && !isC2Held && continuations === 0) {
          at = takeInBulk(bytes, at, isAsciiOnly ? escapeAt : plainEnd);
          if (at === bytes.length) return;
        }
        if (state.kind === 'string' && state.isLong && !state.isAfterEscape && !isC2Held) {
          const end = printableEnd(bytes, at);
          if (end > at) emit({ kind: 'string-part', raw: bytes.subarray(at, end) });
          if (end > at) continuations = 0;
          at = end;
          if (at === bytes.length) return;
        }
        take(bytes[at] ?? 0);
        at += 1;
      }
    },
  };
}

interface Unit {
  /* A byte, a C1 code in either form, or 0x100 for a byte of a character. */
  readonly byte: number;
  readonly raw: readonly number[];
}

type Emit = (token: Token) => void;

function next(state: State, unit: Unit, emit: Emit): State {
  const { byte, raw } = unit;
  if (state.kind === 'string') return nextInString(state, unit, emit);
  if (byte === ESC) {
    abandon(state, emit);
    return { kind: 'escape', held: [ESC] };
  }
  if (byte >= 0x80 && byte <= 0x9f) {
    abandon(state, emit);
    return afterIntroducer(byte - 0x40, raw, emit);
  }
  switch (state.kind) {
    case 'ground':
      emit({ kind: 'text', raw: Uint8Array.from(raw) });
      return ground;
    case 'escape':
      return nextInEscape(state, unit, emit);
    case 'csi':
      return nextInCsi(state, unit, emit);
  }
}

function nextInEscape(state: Extract<State, { kind: 'escape' }>, unit: Unit, emit: Emit): State {
  const { byte, raw } = unit;
  if (byte < 0x20 || byte === 0x7f) {
    emit({ kind: 'text', raw: Uint8Array.from(raw) });
    if (byte !== CAN && byte !== SUB) return state;
    abandon(state, emit);
    return ground;
  }
  if (byte > 0x7e || state.held.length > sequenceBytesMax) {
    abandon(state, emit);
    return next(ground, unit, emit);
  }
  const isFirst = state.held.length === 1;
  state.held.push(...raw);
  if (byte < 0x30) return state;
  if (isFirst && byte >= 0x40 && byte <= 0x5f) return afterIntroducer(byte, state.held, emit);
  emit({
    kind: 'escape',
    raw: Uint8Array.from(state.held),
    intermediates: String.fromCharCode(...state.held.slice(1, -1)),
    final: String.fromCharCode(byte),
  });
  return ground;
}

/* ESC and a letter from @ to _, or the C1 control that stands for the pair. */
function afterIntroducer(letter: number, raw: readonly number[], emit: Emit): State {
  if (letter === 0x5b) return { kind: 'csi', held: [...raw], controls: [] };
  const type = stringIntroducers[letter];
  if (type !== undefined) {
    const held = [...raw];
    return { kind: 'string', type, held, bodyAt: held.length, isLong: false, isAfterEscape: false };
  }
  emit({
    kind: 'escape',
    raw: Uint8Array.from(raw),
    intermediates: '',
    final: String.fromCharCode(letter),
  });
  return ground;
}

function nextInCsi(state: Extract<State, { kind: 'csi' }>, unit: Unit, emit: Emit): State {
  const { byte, raw } = unit;
  const isAborted = byte === CAN || byte === SUB || byte > 0x7f;
  if (isAborted || state.held.length > sequenceBytesMax) {
    abandon(state, emit);
    return next(ground, unit, emit);
  }
  state.held.push(...raw);
  if (byte < 0x20) {
    state.controls.push(byte);
    return state;
  }
  if (byte < 0x40 || byte === 0x7f) return state;
  const text = String.fromCharCode(...state.held.filter((one) => one >= 0x20 && one < 0x7f));
  const match = /^\[?([<=>?]?)([0-9:;]*)([ -/]*)([@-~])$/.exec(text);
  if (match === null) {
    abandon(state, emit);
    return ground;
  }
  const [, prefix = '', parameters = '', intermediates = '', final = ''] = match;
  emit({
    kind: 'csi',
    raw: Uint8Array.from(state.held),
    prefix,
    parameters,
    intermediates,
    final,
    controls: Uint8Array.from(state.controls),
  });
  return ground;
}

type StringState = Extract<State, { kind: 'string' }>;

function nextInString(state: StringState, unit: Unit, emit: Emit): State {
  const { byte, raw } = unit;
  if (state.isAfterEscape) {
    if (byte === 0x5c) return endString(state, [ESC, ...raw], emit);
    // ESC and anything else: the string is cut off and a new sequence has begun.
    cutString(state, emit);
    return next({ kind: 'escape', held: [ESC] }, unit, emit);
  }
  if (byte === ESC) {
    state.isAfterEscape = true;
    return state;
  }
  if (byte === 0x9c || (byte === BEL && state.type === 'osc')) return endString(state, raw, emit);
  if (byte === CAN || byte === SUB) {
    cutString(state, emit);
    emit({ kind: 'text', raw: Uint8Array.from(raw) });
    return ground;
  }
  if (byte >= 0x80 && byte <= 0x9f) {
    cutString(state, emit);
    return next(ground, unit, emit);
  }
  if (state.isLong) {
    emit({ kind: 'string-part', raw: Uint8Array.from(raw) });
    return state;
  }
  state.held.push(...raw);
  if (state.held.length >= stringBytesMax) {
    emit({ kind: 'string-head', raw: Uint8Array.from(state.held), ...bodyOf(state) });
    state.isLong = true;
  }
  return state;
}

function endString(state: StringState, terminator: readonly number[], emit: Emit): State {
  if (state.isLong) emit({ kind: 'string-end', raw: Uint8Array.from(terminator) });
  else {
    const raw = Uint8Array.from([...state.held, ...terminator]);
    emit({ kind: 'string', raw, ...bodyOf(state) });
  }
  return ground;
}

function cutString(state: StringState, emit: Emit): void {
  if (state.isLong) emit({ kind: 'string-end', raw: none });
  else emit({ kind: 'malformed', raw: Uint8Array.from(state.held), controls: none });
}

/* Latin-1 on purpose: one character per byte, and queries are ASCII. */
function bodyOf(state: StringState): { type: StringKind; body: string } {
  return { type: state.type, body: Buffer.from(state.held.slice(state.bodyAt)).toString('latin1') };
}

/* A sequence that will not be finished: only the controls inside it took effect. */
function abandon(state: State, emit: Emit): void {
  if (state.kind !== 'csi' && state.kind !== 'escape') return;
  const controls = state.kind === 'csi' ? Uint8Array.from(state.controls) : none;
  emit({ kind: 'malformed', raw: Uint8Array.from(state.held), controls });
}
