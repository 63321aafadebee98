/*
 * Text of an agent as it is safe to read: characters that hide or reorder what is around them are shown by their code. Those that
 * scripts and pictures are written with (joiners, variation selectors, other spaces) stay as they are. Colours of a terminal are
 * left out: they would be codes in the middle of words.
 */
import { escapeCharacter } from '@clawdfather/kit';

/* Controls but tab and newline; marks of direction; what is drawn as nothing; tags; halves of pairs. */
const hidden =
  // oxlint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|\p{Cs}|[\u{e0000}-\u{e007f}]/gu;
// oxlint-disable-next-line no-control-regex
const colour = /\u001b\[[0-9;]*m/g;

export function formatForReader(text: string): string {
  return text.replace(hidden, escapeCharacter);
}

export function formatOutput(text: string): string {
  return formatForReader(text.replace(colour, '').replaceAll('\r\n', '\n'));
}
