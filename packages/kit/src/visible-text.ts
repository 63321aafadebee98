/*
 * Text that others wrote (commands, labels, messages), made safe to show.
 *
 * A command line may hold escape sequences, newlines or bidirectional controls
 * that would move the cursor or make one command look like another.
 * Each is shown by its code, in the same way on every screen.
 */

/*
 * Controls, format characters (direction, joiners, tags), separators, spaces that are not the space, whatever else
 * is drawn as nothing, and halves of surrogate pairs.
 */
const hidden = /(?! )[\p{Cc}\p{Cf}\p{Cs}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/gu;

const named: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

export function makeVisible(text: string): string {
  return text.replace(hidden, (character) => named[character] ?? escapeCharacter(character));
}

/* The same for a text of several lines, whose line ends stay. */
export function makeLinesVisible(text: string): string {
  return text.split('\n').map(makeVisible).join('\n');
}

/* `\x1b`, `\u202e`, `\u{e0041}`. */
export function escapeCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const digits = code.toString(16);
  if (code < 0x100) return `\\x${digits.padStart(2, '0')}`;
  return code < 0x10000 ? `\\u${digits.padStart(4, '0')}` : `\\u{${digits}}`;
}
