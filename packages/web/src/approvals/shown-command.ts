/*
 * A command as it is shown, whole: a line as it is, a list of arguments with quotes around what would read as several. Hidden
 * characters come from the gateway as their codes already. Pure.
 */
export interface ShownCommand {
  readonly line: string | null;
  readonly argv: readonly string[] | null;
}

export function commandText({ line, argv }: ShownCommand): string {
  if (line !== null) return line;
  return (argv ?? []).map(quoted).join(' ');
}

const plain = /^[\w@%+=:,./-]+$/;

function quoted(word: string): string {
  return plain.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
