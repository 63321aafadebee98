/*
 * One word for a POSIX shell. Every text that goes to a shell goes through here.
 *
 * Between single quotes nothing has a meaning but the quote itself. NUL ends a word for every program, so what came after it
 * would be lost without notice: it is refused.
 */
import { SshError } from '../errors.ts';

export function quotePosix(text: string): string {
  if (text.includes('\0')) {
    throw new SshError('command-unquotable', 'a word of the command has a NUL in it', {
      hint: 'leave the NUL out; no program could receive it as an argument',
    });
  }
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
