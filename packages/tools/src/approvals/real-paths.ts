/*
 * Where paths lead, links followed, and which lies in which.
 */
import { realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';

/* Also true of the directory itself. Both are real, absolute paths. */
export function isInside(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory === '/' ? '/' : `${directory}/`);
}

/* As far as it is there: of a directory that is yet to be made, its parents count. */
export async function realPathSoFar(path: string): Promise<string> {
  const whole = resolve(path);
  try {
    return await realpath(whole);
  } catch {
    const parent = dirname(whole);
    return parent === whole ? whole : join(await realPathSoFar(parent), basename(whole));
  }
}
