/*
 * Text pasted into a program, so that no text can pretend to be typed.
 *
 * A program that asked for bracketed paste takes what stands between `ESC [200~` and `ESC [201~` as text. Pasted text that
 * holds the second would end the paste early, and the rest would be typed: run, in a shell. Taking terminators out is not
 * enough, since that may make a new one of the pieces around it. So the characters that any terminator needs are taken away
 * one by one: ESC and the C1 control CSI become visible stand-ins, and without them there is no terminator, in whatever
 * way a program reads the bytes. Other control characters act as keys and go the same way; newline, return and tab stay,
 * for they are what people paste. Terminals paste a newline as the return that the Enter key sends, and so do we.
 */
export interface PasteOptions {
  /* The program has asked for it (DECSET 2004). */
  readonly isBracketed: boolean;
  /* False for a run on pipes, which wants newlines as they are. Default true. */
  readonly isTerminal?: boolean;
}

const begin = '\u001b[200~';
const end = '\u001b[201~';

/* U+2400 and on are pictures of the C0 controls; U+241B is the one of ESC. */
const pictures = 0x2400;
const pictureOfDelete = '\u2421';
const replacement = '\ufffd';

// oxlint-disable-next-line no-control-regex -- control characters are the point
const controls = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g;

export function encodePaste(text: string, options: PasteOptions): Uint8Array {
  // Halves of pairs become U+FFFD here and cannot become anything else later.
  const harmless = text
    .toWellFormed()
    .replace(controls, standIn)
    .replace(/(.)201~/gsu, (whole, before: string) =>
      endsIn8BitCsi(before) ? `${replacement}201~` : whole,
    );
  if (options.isTerminal === false) return Buffer.from(harmless);
  const typed = harmless.replace(/\r?\n/g, '\r');
  return Buffer.from(options.isBracketed ? begin + typed + end : typed);
}

function standIn(character: string): string {
  const code = character.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(pictures + code);
  return code === 0x7f ? pictureOfDelete : replacement;
}

/* Letters such as Û end in the byte that is CSI to a program that does not read UTF-8. */
function endsIn8BitCsi(character: string): boolean {
  return Buffer.from(character).at(-1) === 0x9b;
}
