/*
 * From a shell line to the programs it can run.
 */

export type LineReading =
  | {
      readonly kind: 'read';
      /* The program word of every simple command that is not a builtin. */
      readonly programs: readonly string[];
      readonly changesDirectory: boolean;
    }
  | { readonly kind: 'miss'; readonly why: string };

export function commandsOfLine(line: string): LineReading {
  return /^[a-z]+(?: [\w./-]+)*$/.test(line)
    ? { kind: 'read', programs: [line.split(' ')[0] ?? ''], changesDirectory: false }
    : { kind: 'miss', why: 'the line was not read' };
}
