/*
 * Bytes of a program as text to read: decoded, without escape sequences, with what would turn or hide text made visible.
 *
 * It does not matter how the bytes are split: half a character or half a sequence waits for its rest. A carriage return that stands alone
 * stays, because it means that the line is written anew.
 */
import { escapeCharacter } from '@clawdfather/kit';

export interface OutputCleaner {
  push(bytes: Uint8Array): string;
  /* What still waited. */
  end(): string;
}

/* A sequence that has not ended by then is none. */
const waitingMax = 65_536;

const esc = '\u001b';
const bell = '\u0007';
const csi = String.raw`[0-?]*[ -/]*`;
/* Titles, links, pictures. */
const terminalString = String.raw`[\]PX^_][^${bell}${esc}]*`;
const sequences = new RegExp(
  String.raw`${esc}(?:\[${csi}[@-~]|${terminalString}(?:${bell}|${esc}\\)|[ -/]*[0-OQ-WYZ\\\x60-~])|\u009b${csi}[@-~]`,
  'gu',
);
const unfinished = new RegExp(
  String.raw`(?:${esc}(?:\[${csi}|${terminalString}${esc}?|[ -/]*)|\u009b${csi}|\r)$`,
  'u',
);
/* With what follows them, or a run of them without a newline would be gone through again from each of its characters. */
const returns = /\r+\n?/g;
/* Other than newline, tab and carriage return; and what turns or hides text. */
const hidden =
  /[^\P{Cc}\n\t\r]|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]|[\u{e0000}-\u{e007f}]/gu;

export function createOutputCleaner(): OutputCleaner {
  const decoder = new TextDecoder();
  let waiting = '';
  const clean = (text: string): string =>
    text
      .replace(sequences, '')
      .replace(returns, (found) => (found.endsWith('\n') ? '\n' : found))
      .replace(hidden, (character) => escapeCharacter(character));
  return {
    push: (bytes) => {
      const text = waiting + decoder.decode(bytes, { stream: true });
      const rest = unfinished.exec(text)?.[0] ?? '';
      waiting = rest.length > waitingMax ? '' : rest;
      return clean(text.slice(0, text.length - waiting.length));
    },
    end: () => {
      const text = clean(waiting + decoder.decode()).replace(/\r$/, '');
      waiting = '';
      return text;
    },
  };
}
