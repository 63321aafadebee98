/*
 * Removes what is in a directory that is held open, with all that is in it, while another program may be moving things there. Node's own `rm`
 * goes by paths: a directory that is swapped for a link after it was looked at would lead it elsewhere.
 */
import { type FileHandle, rmdir, unlink } from 'node:fs/promises';
import { hasErrno } from '../errors.ts';
import { below, enterDirectory, type FileName, namesIn } from './held-dir.ts';

/* Each directory on the way down is one open file. Nothing of ours is half as deep. */
const depthMax = 100;
/* Some file systems leave names out while others are removed. Who adds more all the time has more left. */
const passesMax = 3;

/** What is not there is removed. Throws what the kernel says of the first thing that stays, or why `signal` was aborted. */
export async function removeBelow(
  directory: FileHandle,
  name: FileName,
  signal?: AbortSignal,
): Promise<void> {
  await remove(directory, name, { depth: 0, signal });
}

interface Removal {
  readonly depth: number;
  readonly signal: AbortSignal | undefined;
}

async function remove(directory: FileHandle, name: FileName, removal: Removal): Promise<void> {
  const { depth, signal } = removal;
  signal?.throwIfAborted();
  const path = below(directory, name);
  if (await isGoneAfter(unlink(path), 'EISDIR')) return;
  if (depth === depthMax) throw tooDeep();
  for (let pass = 1; ; pass += 1) {
    await removeAllIn(directory, name, { depth: depth + 1, signal });
    if (pass === passesMax) return await rmdir(path);
    if (await isGoneAfter(rmdir(path), 'ENOTEMPTY')) return;
  }
}

async function removeAllIn(above: FileHandle, name: FileName, removal: Removal): Promise<void> {
  await using directory = await enterDirectory(above, name);
  for await (const inner of namesIn(directory)) await remove(directory, inner, removal);
}

async function isGoneAfter(removing: Promise<void>, unless: string): Promise<boolean> {
  try {
    await removing;
    return true;
  } catch (error) {
    if (hasErrno(error, 'ENOENT')) return true;
    if (hasErrno(error, unless)) return false;
    throw error;
  }
}

function tooDeep(): Error {
  const message = `directories more than ${depthMax} deep are not removed`;
  return Object.assign(new Error(message), { code: 'ENAMETOOLONG' });
}
