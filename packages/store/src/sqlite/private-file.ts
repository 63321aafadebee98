/*
 * A database is for its owner's eyes. SQLite would make the file as the umask says; made before it comes, it is private, and
 * SQLite gives the log beside it the same mode.
 */
import { closeSync, openSync } from 'node:fs';
import { StoreError } from '../errors.ts';

export function createPrivate(path: string): void {
  try {
    closeSync(openSync(path, 'a', 0o600));
  } catch (error) {
    throw new StoreError('store-failed', 'the file of the control database cannot be made', {
      cause: error,
      detail: { path },
      hint: 'Is its directory there, and may you write to it?',
    });
  }
}
