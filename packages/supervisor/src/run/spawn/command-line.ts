/*
 * A command as people read it. For display only: nothing is ever started from this text.
 */
import type { SpawnInput } from '../../spawn-input.ts';

const plainPattern = /^[A-Za-z0-9_@%+=:,./-]+$/;

export function commandLineOf(input: SpawnInput): string {
  return input.mode === 'pty' ? input.ptyCommand : input.argv.map(quoted).join(' ');
}

function quoted(argument: string): string {
  return plainPattern.test(argument) ? argument : `'${argument.replaceAll("'", `'\\''`)}'`;
}
