/*
 * Checks that we can still write where our state and the journals are, and how much room is left there.
 *
 * A file is written and read in each directory: only that shows whether a disk is read-only or full. It loses its name before it
 * is written, so a disk that refuses the bytes, or a crash, leaves nothing behind.
 */
import { constants, readdirSync, unlinkSync } from 'node:fs';
import { open, readdir, stat, statfs, unlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { hasErrno } from '@clawdfather/kit';

export interface FilesystemFacts {
  readonly isWritable: boolean;
  /* Where there is least. */
  readonly freeBytes: number | undefined;
}

const content = 'clawdfather';
const prefix = '.health-';

export async function checkFilesystem(directories: readonly string[]): Promise<FilesystemFacts> {
  const checks = await Promise.all(
    directories.map(async (directory) => ({
      isWritable: await isWritable(directory),
      freeBytes: await freeBytesOf(directory),
    })),
  );
  const known = checks.map(({ freeBytes }) => freeBytes).filter((bytes) => bytes !== undefined);
  return {
    isWritable: checks.every(({ isWritable: isGood }) => isGood),
    freeBytes: known.length === 0 ? undefined : Math.min(...known),
  };
}

/* Which file has this name, and not only that there is one. */
export async function fileIdentityOf(path: string): Promise<string | undefined> {
  const found = await stat(path).catch(() => undefined);
  return found === undefined ? undefined : `${found.dev}:${found.ino}`;
}

/* What earlier versions, or a crash at the wrong moment, have left. */
export function removeHealthFiles(directories: readonly string[]): void {
  for (const directory of directories) {
    try {
      const names = readdirSync(directory).filter((name) => name.startsWith(prefix));
      for (const name of names) unlinkSync(join(directory, name));
    } catch {
      // There is no such directory yet, or it cannot be changed: they stay, and nobody counts them.
    }
  }
}

async function isWritable(directory: string): Promise<boolean> {
  const path = join(directory, `${prefix}${process.pid}`);
  const { O_RDWR, O_CREAT, O_TRUNC, O_NOFOLLOW } = constants;
  try {
    await using file = await open(path, O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW, 0o600);
    await unlink(path);
    await file.writeFile(content);
    const { bytesRead, buffer } = await file.read(Buffer.alloc(content.length), 0, null, 0);
    return buffer.toString('utf8', 0, bytesRead) === content;
  } catch {
    // Only the answer counts here; the reason is in the machine's own log.
    return false;
  }
}

async function freeBytesOf(directory: string): Promise<number | undefined> {
  try {
    const { bavail, bsize } = await statfs(directory);
    return bavail * bsize;
  } catch {
    // The free space is unknown.
    return undefined;
  }
}

/* How many ControlMaster sockets there are: each master has a directory, and its socket is `m`. One that does not exist has none. */
export async function countSockets(directory: string): Promise<number | undefined> {
  try {
    const names = await readdir(directory, { recursive: true });
    return names.filter((name) => basename(name) === 'm').length;
  } catch (error) {
    return hasErrno(error, 'ENOENT') ? 0 : undefined;
  }
}
