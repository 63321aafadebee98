/*
 * A conversation in a directory that is not there could never work, so it is not begun. What this gateway may not look at is no reason: a
 * member's own user may.
 */
import { stat } from 'node:fs/promises';
import { hasErrno } from '@clawdfather/kit';
import { ApiError } from '../http/api-error.ts';

export async function refuseNoDirectory(path: string): Promise<void> {
  const isThere = await stat(path).then(
    (found) => found.isDirectory(),
    (error: unknown) => !hasErrno(error, 'ENOENT') && !hasErrno(error, 'ENOTDIR'),
  );
  if (isThere) return;
  throw new ApiError('validation_error', `${path} is not a directory on the gateway’s machine`, {
    hint: 'Name one that is there, or leave it out.',
  });
}
