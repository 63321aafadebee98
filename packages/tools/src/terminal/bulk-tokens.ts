/*
 * The two things that output mostly consists of, taken in one piece each: text,
 * and control sequences that lie whole in what has arrived. The scanner
 * (sequences.ts) would cut them the same way, byte by byte and twenty times
 * slower; a day of a full-screen program is hundreds of megabytes to catch up with.
 */
import type { Token } from './sequences.ts';

const ESC = 0x1b;
const none = new Uint8Array(0);

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

/* The well-formed `ESC [ …` that begins here, or undefined: cut off, broken, or no CSI. */
export function wholeCsiAt(
  bytes: Uint8Array,
  from: number,
  bytesMax: number,
): CsiToken | undefined {
  if (bytes[from] !== ESC || bytes[from + 1] !== 0x5b) return undefined;
  const prefixed = bytes[from + 2] ?? 0;
  const hasPrefix = prefixed >= 0x3c && prefixed <= 0x3f;
  const parametersAt = from + (hasPrefix ? 3 : 2);
  const parametersEnd = endOfRange(bytes, parametersAt, [0x30, 0x3b]);
  const finalAt = endOfRange(bytes, parametersEnd, [0x20, 0x2f]);
  const final = bytes[finalAt] ?? 0;
  if (final < 0x40 || final > 0x7e || finalAt - from >= bytesMax) return undefined;
  return {
    kind: 'csi',
    raw: bytes.subarray(from, finalAt + 1),
    prefix: hasPrefix ? String.fromCharCode(prefixed) : '',
    parameters: textOf(bytes, parametersAt, parametersEnd),
    intermediates: textOf(bytes, parametersEnd, finalAt),
    final: String.fromCharCode(final),
    controls: none,
  };
}

function endOfRange(
  bytes: Uint8Array,
  from: number,
  [least, most]: readonly [number, number],
): number {
  let at = from;
  for (;;) {
    const byte = bytes[at] ?? 0;
    if (byte < least || byte > most) return at;
    at += 1;
  }
}

/* Parameters are a few characters, for which this is quicker than a decoder. */
function textOf(bytes: Uint8Array, from: number, to: number): string {
  let text = '';
  for (let at = from; at < to; at += 1) text += String.fromCharCode(bytes[at] ?? 0);
  return text;
}
