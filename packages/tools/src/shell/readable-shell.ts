/*
 * The shells whose lines are read here: dash and bash, as the system installed them.
 *
 * What a line means depends on the shell. Other shells have other syntax (zsh, fish), or run programs of their own without
 * looking at PATH (busybox); and a program that merely calls itself bash, somewhere else, may do anything. `/bin/sh`
 * counts as what it is a link to. A link somewhere else does not count: its owner may point it elsewhere before it is
 * followed, and a shell behaves by the name it is called (`-bash` reads a profile first).
 */
import { realpathSync } from 'node:fs';

const inSystem = (names: readonly string[]): ReadonlySet<string> =>
  new Set(['/bin', '/usr/bin'].flatMap((directory) => names.map((name) => `${directory}/${name}`)));

const shellNames = inSystem(['sh', 'dash', 'bash']);
const readableShells = inSystem(['dash', 'bash']);

export function isReadableShell(shell: string): boolean {
  try {
    return shellNames.has(shell) && readableShells.has(realpathSync.native(shell));
  } catch {
    // Not there: then it runs nothing either.
    return false;
  }
}
