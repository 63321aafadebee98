/*
 * Who asks for something, for the record (T3): the user, and where they sit. A pid alone says nothing once its process is gone.
 */
import { readlinkSync } from 'node:fs';
import { userInfo } from 'node:os';

/* `cli:ann`, as approvals and the audit log name her; a user that has no name is named by its number. */
export function personHere(): string {
  try {
    return `cli:${userInfo().username}`;
  } catch {
    return `cli:uid-${process.getuid?.() ?? 0}`;
  }
}

/* `cli:ann (pts/3)`, or without a terminal `cli:ann (pid 11024)`. */
export function actorHere(pid: number): string {
  const terminal = terminalHere();
  return `${personHere()} (${terminal ?? `pid ${pid}`})`;
}

function terminalHere(): string | undefined {
  for (const descriptor of [0, 1, 2]) {
    const name = /^\/dev\/(pts\/\d+|tty\w*)$/.exec(linkOf(descriptor))?.[1];
    if (name !== undefined) return name;
  }
  return undefined;
}

function linkOf(descriptor: number): string {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`);
  } catch {
    /* Closed, or no /proc: then there is no terminal to name. */
    return '';
  }
}
