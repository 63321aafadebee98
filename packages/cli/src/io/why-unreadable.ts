/*
 * Why a file that a person named cannot be read, as a sentence instead of the kernel's letters.
 */
import { accessSync, constants, statSync } from 'node:fs';
import { errnoOf } from '@clawdfather/kit';

/* Undefined: it can be read. */
export function whyUnreadable(path: string): string | undefined {
  try {
    if (statSync(path).isDirectory()) return `${path} is a directory, not a file`;
    accessSync(path, constants.R_OK);
    return undefined;
  } catch (error) {
    const code = errnoOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return `there is no file ${path}`;
    if (code === 'EACCES') return `you may not read ${path}`;
    return `${path} cannot be read: ${String(code)}`;
  }
}
