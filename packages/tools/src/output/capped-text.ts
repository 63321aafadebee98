/*
 * The last part of a long text, and where to read what was left out.
 *
 * Characters are UTF-16 code units, as `length` counts them; a pair is never cut. Between two cuts the text may grow to
 * twice the limit, so each character is copied at most once: constant cost per character, bounded memory.
 */
import { copyOf } from './copy-of.ts';

export interface CappedText {
  /* `cursorBefore`: the position before the bytes that this text was made of. */
  push(text: string, cursorBefore: string): void;
  result(): CappedResult;
}

export interface CappedResult {
  readonly text: string;
  readonly droppedCharacters: number;
  /* Where the text that was dropped begins; undefined when nothing was. */
  readonly droppedFrom: string | undefined;
}

export function createCappedText(options: { readonly charactersMax: number }): CappedText {
  const { charactersMax } = options;
  let kept = '';
  let droppedCharacters = 0;
  let firstCursor: string | undefined;

  const cut = (): void => {
    const from = tailStart(kept, charactersMax);
    droppedCharacters += from;
    // A slice would keep what it was cut from in memory.
    kept = copyOf(kept.slice(from));
  };

  return {
    push: (text, cursorBefore) => {
      firstCursor ??= cursorBefore;
      kept += text;
      if (kept.length > 2 * charactersMax) cut();
    },
    result: () => {
      if (kept.length > charactersMax) cut();
      return {
        text: kept,
        droppedCharacters,
        droppedFrom: droppedCharacters > 0 ? firstCursor : undefined,
      };
    },
  };
}

/* Where the last `charactersMax` begin, one later if that would be in the middle of a pair. */
function tailStart(text: string, charactersMax: number): number {
  const from = Math.max(0, text.length - charactersMax);
  const isInsidePair = from > 0 && isLow(text, from) && isHigh(text, from - 1);
  return isInsidePair ? from + 1 : from;
}

function isHigh(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xd800;
}

function isLow(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xdc00;
}
