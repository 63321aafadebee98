/*
 * Our place in the terminal's session, as the kernel tells it in /proc/self/stat.
 */
import { closeSync, openSync, readFileSync } from 'node:fs';

/*
 * True unless we are a background job of a terminal: `clf run -- sleep 60 &`
 * must not be stopped by SIGTTIN for reading a terminal it does not need.
 */
export function isForegroundJob(stat: string | undefined): boolean {
  // The command's name is in parentheses and may hold anything; fields follow the last one.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  const group = Number(fields?.[2]);
  const terminalGroup = Number(fields?.[5]);
  const isKnown = Number.isInteger(group) && Number.isInteger(terminalGroup);
  return !isKnown || terminalGroup <= 0 || group === terminalGroup;
}

export function readSelfStat(): string | undefined {
  try {
    return readFileSync('/proc/self/stat', 'utf8');
  } catch {
    // No /proc here: nothing is known, and the caller reads on.
    return undefined;
  }
}

/* Opening /dev/tty fails once the session has no terminal (any more). */
export function hasControllingTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r'));
    return true;
  } catch {
    return false;
  }
}
