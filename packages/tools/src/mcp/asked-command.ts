/*
 * A command as it was asked for. The record of a line has the shell that runs it on pipes around it (`/bin/sh -c 'make x'`); that of the same
 * line on a terminal, or while it is held, has the line alone. An agent has asked for the line, and is shown the line.
 */
const shellLine = /^\/bin\/sh -c (?:'((?:[^']|'\\'')*)'|([^\s']+))$/;

export function askedCommand(command: string): string {
  const match = shellLine.exec(command);
  if (match === null) return command;
  const [, quoted, plain = ''] = match;
  return quoted === undefined ? plain : quoted.replaceAll("'\\''", "'");
}
