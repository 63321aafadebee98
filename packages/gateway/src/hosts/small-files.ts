/*
 * Small files that a command waits for.
 *
 * Each step that is handed to Node's pool costs two wake-ups, and on a busy machine each of those waits its turn: with one step for
 * opening, writing and closing each, a command waited longer for the pool than for the disk. So what only touches the kernel's
 * memory is done in place, and what waits for the disk is done beside the event loop.
 */
import { closeSync, fsync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { hasErrno } from '@clawdfather/kit';

const flush = promisify(fsync);

/* On disk when it resolves, with its name. For us alone; so is its directory, which is made if it is missing. */
export async function writeSmallFile(path: string, text: string): Promise<void> {
  const fd = openNew(path, text);
  if (fd === undefined) return;
  try {
    writeFileSync(fd, text);
    await flush(fd);
  } catch (error) {
    // Half of it says nothing, and takes the place of what would.
    await removeSmallFile(path).catch(() => undefined);
    throw error;
  } finally {
    closeSync(fd);
  }
}

/* Undefined: the same is there already. It is not written again, because a full disk would leave nothing of it. */
function openNew(path: string, text: string): number | undefined {
  try {
    return openSync(path, 'wx', 0o600);
  } catch (error) {
    if (hasErrno(error, 'EEXIST')) {
      return readFileSync(path, 'utf8') === text ? undefined : openSync(path, 'w', 0o600);
    }
    if (!hasErrno(error, 'ENOENT')) throw error;
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    return openSync(path, 'wx', 0o600);
  }
}

/* Also if it is not there. */
export async function removeSmallFile(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    if (!hasErrno(error, 'ENOENT')) throw error;
  }
}
