/*
 * A database is for its owner's eyes, and its owner alone says what is in it: tokens and accounts are. SQLite would make the file
 * as the umask says; made before it comes, it is private, and SQLite gives the log beside it the same mode.
 */
import { resolve } from 'node:path';
import { closeToOthers, findUnsafe, makePrivateFile } from '@clawdfather/kit/files';
import { StoreError } from '../errors.ts';

export function createPrivate(path: string): void {
  refuseUnsafe(path);
  try {
    makePrivateFile(path);
    // An earlier version may have left them open to others.
    for (const ending of ['-wal', '-shm']) closeToOthers(path + ending);
  } catch (error) {
    throw new StoreError('store-failed', 'the file of the control database cannot be made', {
      cause: error,
      detail: { path },
      hint: 'Is its directory there, and may you write to it?',
    });
  }
}

/** What another user can write, or exchange for something else, is nothing to believe, and no place for what is secret. */
export function refuseUnsafe(path: string): void {
  const unsafe = findUnsafe(resolve(path));
  if (unsafe === undefined) return;
  throw new StoreError(
    'store-unsafe',
    `${path} is not safe from other users: ${unsafe.path}: ${unsafe.why}`,
    {
      detail: { path, where: unsafe.path },
      hint: `Use a directory of your own, or mend it: ${unsafe.cure}`,
    },
  );
}
