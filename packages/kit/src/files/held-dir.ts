/*
 * Directories in which somebody else may move things while we work: another program of the same user, such as an agent's command.
 *
 * A directory is held open, and what is in it is reached through the descriptor (`/proc/self/fd/N/name`), one name at a time and never through
 * a link. So it does not matter what happens to the path meanwhile: a directory that is swapped for a link is not entered, and one that was
 * moved is the same directory. A check of a path says nothing about what the path leads to a moment later.
 */
import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, opendir } from 'node:fs/promises';
import { basename } from 'node:path';
import { hasErrno } from '../errors.ts';
import { ownUid } from './own-group.ts';
import { openPrivateDir, privateDirMode, type Refuse } from './private-dir.ts';
import { inTheWay, notOurs } from './trusted-path.ts';

/** Of a file. Those that another program has chosen are bytes, and need not be text. */
export type FileName = Buffer | string;

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;
const asDirectory = O_RDONLY | O_DIRECTORY | O_NOFOLLOW;

/** A path for the calls of Node, good as long as the directory is open. */
export function below(directory: FileHandle, name: FileName): Buffer {
  return Buffer.concat([Buffer.from(`/proc/self/fd/${directory.fd}/`), Buffer.from(name)]);
}

/** The caller closes it. Throws what the kernel says; ENOTDIR and ELOOP also for a link. */
export function enterDirectory(directory: FileHandle, name: FileName): Promise<FileHandle> {
  return open(below(directory, name), asDirectory);
}

/** As it is there, with parents that nobody else can change. Undefined: it is not. A link in its place is refused. */
export async function holdDirectory(path: string, refuse: Refuse): Promise<FileHandle | undefined> {
  try {
    return await open(path, asDirectory);
  } catch (error) {
    if (hasErrno(error, 'ENOENT')) return undefined;
    throw refusedAs(error, path, refuse);
  }
}

/** As `openPrivateDir`. The caller closes it. */
export async function holdPrivateDir(path: string, refuse: Refuse): Promise<FileHandle> {
  const checked = openPrivateDir(path, refuse);
  const held = await holdDirectory(path, refuse);
  try {
    const found = await held?.stat();
    if (held !== undefined && found?.dev === checked.dev && found.ino === checked.ino) return held;
  } catch (error) {
    await held?.close();
    throw error;
  }
  await held?.close();
  throw refuse(inTheWay(path, 'it was replaced just now'));
}

/** One in a private one that is held; made where it is missing. `path` is for people, and its last part is the name. */
export async function holdPrivateDirIn(
  above: FileHandle,
  path: string,
  refuse: Refuse,
): Promise<FileHandle> {
  const name = basename(path);
  await mkdir(below(above, name), privateDirMode).catch((error: unknown) => {
    if (!hasErrno(error, 'EEXIST')) throw error;
  });
  const held = await enterDirectory(above, name).catch((error: unknown) => {
    throw refusedAs(error, path, refuse);
  });
  try {
    const found = await held.stat();
    if (found.uid !== ownUid()) throw refuse(notOurs(path, found));
    // Others could not reach it: the one above is closed.
    if ((found.mode & 0o077) !== 0) await held.chmod(privateDirMode);
    return held;
  } catch (error) {
    await held.close();
    throw error;
  }
}

/** Read on as the caller takes them, so no directory is read to an end that somebody else chose. */
export async function* namesIn(directory: FileHandle): AsyncGenerator<Buffer, void, void> {
  // The types of Node know no names of bytes here.
  const options = { encoding: 'buffer' } as unknown as { encoding: BufferEncoding };
  const reading = await opendir(below(directory, '.').toString(), options);
  try {
    for (;;) {
      const entry = await reading.read();
      if (entry === null) return;
      yield entry.name as unknown as Buffer;
    }
  } finally {
    await reading.close();
  }
}

function refusedAs(error: unknown, path: string, refuse: Refuse): unknown {
  const isOther = hasErrno(error, 'ELOOP', 'ENOTDIR');
  return isOther ? refuse(inTheWay(path, 'it is not a directory')) : error;
}
