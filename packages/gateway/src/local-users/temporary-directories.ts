/*
 * A temporary directory for each Unix user that accounts run as: the shared one is open to every user of the machine.
 *
 * The directory above is ours, so no user can put anything in the way of another. What is found is looked at without following
 * links and refused if it is not what we would have made.
 */
import { chmodSync, chownSync, lstatSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { hasErrno } from '@clawdfather/kit';
import { GatewayError } from '../errors.ts';
import type { FoundUser } from './find-host-user.ts';

/* Not in the state directory, which no other user may enter, nor where any user could put something in its place. */
export const usualTemporaryRoot = '/var/lib/clawdfather-users';

const rootMode = 0o711;
const ownMode = 0o700;

/* The path; there after the call, also where something has tidied the disk since the last. Throws `account-user-unusable`. */
export function openTemporaryDirectory(root: string, user: FoundUser): string {
  keepDirectory(root, {
    uid: process.getuid?.() ?? 0,
    gid: process.getgid?.() ?? 0,
    mode: rootMode,
  });
  const path = join(root, String(user.uid));
  keepDirectory(path, { uid: user.uid, gid: user.gid, mode: ownMode });
  return path;
}

interface Wanted {
  readonly uid: number;
  readonly gid: number;
  readonly mode: number;
}

function keepDirectory(path: string, { uid, gid, mode }: Wanted): void {
  makeDirectory(path);
  const found = lstatSync(path);
  const isOurs = found.uid === process.getuid?.();
  const isUsable = found.isDirectory() && (isOurs || found.uid === uid);
  if (isUsable && (found.mode & 0o7777 & ~mode) === 0) {
    // Just made, or left so by a gateway that was killed here. The mode is set apart, because our umask takes from it.
    if (isOurs) chmodSync(path, mode);
    if (isOurs) chownSync(path, uid, gid);
    return;
  }
  throw new GatewayError(
    'account-user-unusable',
    `${path} is not a directory of user ${uid} that is closed to others`,
    { detail: { path, uid }, hint: 'Look at what it is, and remove it: it is made again.' },
  );
}

function makeDirectory(path: string): void {
  try {
    mkdirSync(path, { mode: ownMode });
  } catch (error) {
    // What is there is looked at next.
    if (!hasErrno(error, 'EEXIST')) throw error;
  }
}
