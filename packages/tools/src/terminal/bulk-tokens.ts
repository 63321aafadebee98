/*
 * The two things that output mostly consists of, taken in one piece each: text,
 * and control sequences that lie whole in what has arrived. The scanner
 * (sequences.ts) would cut them the same way, byte by byte and twenty times
 * slower; a day of a full-screen program is hundreds of megabytes to catch up with.
 */
import type { Token } from './sequences.ts';

const ESC = 0x1b;
const none = new Uint8Array(0);

/* Below this a loop of our own is quicker than asking the engine. */
const stretchBytes = 32;

/* The next ESC, or the end: for bytes that are known to be ASCII. */
export function escapeAt(bytes: Uint8Array, from: number): number {
  const near = Math.min(from + stretchBytes, bytes.length);
  for (let at = from; at < near; at += 1) if (bytes[at] === ESC) return at;
  const far = bytes.indexOf(ESC, near);
  return far === -1 ? bytes.length : far;
}

/* The end of the run of whole characters that are no C1 control, ESC excluded. */
export function plainEnd(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length) {
    const byte = bytes[at] ?? ESC;
    if (byte === ESC) break;
    if (byte < 0x80) {
      at += 1;
      continue;
    }
    const length = characterLength(bytes, at);
    if (length === 0) break;
    at += length;
  }
  return at;
}

/* Of a multi-byte character that is all there; 0 for anything that needs a closer look. */
function characterLength(bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? 0;
  const second = bytes[at + 1] ?? 0;
  // U+0080…U+009F are C1 controls in two bytes.
  if (first === 0xc2) return second >= 0xa0 && second <= 0xbf ? 2 : 0;
  if (first < 0xc3 || first > 0xf4 || !isContinuation(second)) return 0;
  if (first < 0xe0) return 2;
  if (!isContinuation(bytes[at + 2] ?? 0)) return 0;
  if (first < 0xf0) return 3;
  return isContinuation(bytes[at + 3] ?? 0) ? 4 : 0;
}

function isContinuation(byte: number): boolean {
  return byte >= 0x80 && byte <= 0xbf;
}

/* The end of the run of printable ASCII: what a long string is made of. */
export function printableEnd(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length) {
    const byte = bytes[at] ?? 0;
    if (byte < 0x20 || byte > 0x7e) break;
    at += 1;
  }
  return at;
}

export type CsiToken = Extract<Token, { kind: 'csi' }>;

/* Where the well-formed `ESC [ …` that begins here ends, or 0: cut off, broken, or no CSI. */
export function wholeCsiEnd(bytes: Uint8Array, from: number, bytesMax: number): number {
  if (bytes[from] !== ESC || bytes[from + 1] !== 0x5b) return 0;
  let at = from + (hasPrefixAt(bytes, from + 2) ? 3 : 2);
  at = intermediatesEnd(bytes, parametersEnd(bytes, at));
  const final = bytes[at] ?? 0;
  return final < 0x40 || final > 0x7e || at - from >= bytesMax ? 0 : at + 1;
}

/* The token of a CSI that `wholeCsiEnd` found. */
export function csiToken(bytes: Uint8Array, from: number, end: number): CsiToken {
  const hasPrefix = hasPrefixAt(bytes, from + 2);
  const parametersAt = from + (hasPrefix ? 3 : 2);
  const intermediatesAt = parametersEnd(bytes, parametersAt);
  return {
    kind: 'csi',
    raw: bytes.subarray(from, end),
    prefix: hasPrefix ? String.fromCharCode(bytes[from + 2] ?? 0) : '',
    parameters: textOf(bytes, parametersAt, intermediatesAt),
    intermediates: textOf(bytes, intermediatesAt, end - 1),
    final: String.fromCharCode(bytes[end - 1] ?? 0),
    controls: none,
  };
}

function hasPrefixAt(bytes: Uint8Array, at: number): boolean {
  const byte = bytes[at] ?? 0;
  return byte >= 0x3c && byte <= 0x3f;
}

function parametersEnd(bytes: Uint8Array, from: number): number {
  let at = from;
  for (;;) {
    const byte = bytes[at] ?? 0;
    if (byte < 0x30 || byte > 0x3b) return at;
    at += 1;
  }
}

function intermediatesEnd(bytes: Uint8Array, from: number): number {
  let at = from;
  for (;;) {
    const byte = bytes[at] ?? 0;
    if (byte < 0x20 || byte > 0x2f) return at;
    at += 1;
  }
}

/* Parameters are a few characters, for which this is quicker than a decoder. */
function textOf(bytes: Uint8Array, from: number, to: number): string {
  let text = '';
  for (let at = from; at < to; at += 1) text += String.fromCharCode(bytes[at] ?? 0);
  return text;
}
