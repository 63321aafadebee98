/*
 * A file of ours that only we can read, made before another program (SQLite) would make it as the umask says.
 *
 * One that is there and open to others, as an older version left it, is closed. It is not opened for that: closing a file that
 * SQLite has open in this process would drop SQLite's locks.
 */
import { chmodSync, closeSync, openSync, statSync } from 'node:fs';
import { hasErrno } from '../errors.ts';
import { ownUid } from './own-group.ts';

export const privateFileMode = 0o600;

export function makePrivateFile(path: string): void {
  try {
    // Never through a link, and never into what another user has put there.
    closeSync(openSync(path, 'wx', privateFileMode));
  } catch (error) {
    if (!hasErrno(error, 'EEXIST')) throw error;
    closeToOthers(path);
  }
}

/** Does nothing where there is none, or where it is not ours. */
export function closeToOthers(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined || found.uid !== ownUid() || (found.mode & 0o077) === 0) return;
  chmodSync(path, privateFileMode);
}
