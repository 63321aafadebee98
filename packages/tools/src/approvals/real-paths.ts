/*
 * Where paths lead, links followed, and which lies in which.
 */
import { realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';

/* Also true of the directory itself. Both are real, absolute paths. */
export function isInside(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory === '/' ? '/' : `${directory}/`);
}

/*
 * An absolute path as the kernel reads it: `..` stays, since what stands before it may be a link, and then it leads to where the link's
 * target is and not to where the link is.
 */
export function joinAsWritten(directory: string, word: string): string {
  const parts = (isAbsolute(word) ? word : `${directory}/${word}`)
    .split('/')
    .filter((part) => part !== '' && part !== '.');
  const first = parts.findIndex((part) => part !== '..');
  // Above the root is the root.
  return `/${parts.slice(first === -1 ? parts.length : first).join('/')}`;
}

/* As far as it is there: of a directory that is yet to be made, its parents count. */
export async function realPathSoFar(path: string): Promise<string> {
  const whole = joinAsWritten(resolve(), path);
  try {
    return await realpath(whole);
  } catch {
    const parent = dirname(whole);
    // With `..` as the last part it is the directory above.
    return parent === whole ? whole : join(await realPathSoFar(parent), basename(whole));
  }
}
