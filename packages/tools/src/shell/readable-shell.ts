/*
 * The shells whose lines are read here: dash and bash, as the system installed them.
 *
 * What a line means depends on who reads it. Other shells have other syntax (zsh, fish), or run programs of their own without
 * looking at PATH (busybox); and a program that merely calls itself bash, somewhere else, may do anything. `/bin/sh`
 * counts as what it is a link to.
 */
import { realpathSync } from 'node:fs';

const readableShells: ReadonlySet<string> = new Set(
  ['/bin', '/usr/bin'].flatMap((directory) => [`${directory}/dash`, `${directory}/bash`]),
);

export function isReadableShell(shell: string): boolean {
  try {
    return shell.startsWith('/') && readableShells.has(realpathSync.native(shell));
  } catch {
    // Not there: then it runs nothing either.
    return false;
  }
}
