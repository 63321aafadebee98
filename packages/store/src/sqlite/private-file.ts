/*
 * The control database holds tokens and accounts, so no other user may read its file or change it, nor the path to it.
 */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { findUnsafe } from '@clawdfather/kit/files';
import { makePrivateDatabaseFile } from '@clawdfather/sqlite';
import { StoreError } from '../errors.ts';

export function createPrivate(path: string): void {
  refuseUnsafe(path);
  try {
    makePrivateDatabaseFile(path);
  } catch (error) {
    throw new StoreError('store-failed', 'the file of the control database cannot be made', {
      cause: error,
      detail: { path },
      hint: 'Is its directory there, and may you write to it?',
    });
  }
}

export function refuseMissing(path: string): void {
  refuseUnsafe(path);
  if (existsSync(path)) return;
  throw new StoreError('store-missing', `there is no control database at ${path}`, {
    detail: { path },
    hint: 'The first `clf serve` makes it. Is `gateway.database.path` the one of the gateway?',
  });
}

/** A file that another user can write or replace can neither be trusted nor hold a secret. */
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
