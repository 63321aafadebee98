/*
 * Walks directories that somebody else may be changing, without ever being led out of them: each is held open, and what is in it is reached
 * through the descriptor (kit's held-dir.ts, AT1).
 */
import { constants } from 'node:fs';
import { type FileHandle, lstat, open } from 'node:fs/promises';
import { hasErrno } from '@clawdfather/kit';
import { below, enterDirectory, namesIn } from '@clawdfather/kit/files';
import type { MissingReason } from '@clawdfather/agents';
import { type FoundFile, MissingList, type TreeListing } from './artifact-tree.ts';
import { depthMax, entriesMax, fileBytesMax, pathCharactersMax } from './limits.ts';

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY } = constants;
/* AT2: neither a pipe without a writer nor a terminal keeps us. */
const asFile = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;

/* The one that a person has named: links in its own path are followed. */
export function openRoot(path: string): Promise<FileHandle> {
  return open(path, O_RDONLY | O_DIRECTORY);
}

/* A file by its path, each step through the one before. The caller closes it. */
export async function openBelow(root: FileHandle, path: string): Promise<FileHandle> {
  const names = path.split('/');
  const last = names.pop() ?? '';
  let directory = root;
  try {
    for (const name of names) {
      const next = await enterDirectory(directory, name);
      if (directory !== root) await directory.close();
      directory = next;
    }
    return await open(below(directory, last), asFile);
  } finally {
    if (directory !== root) await directory.close();
  }
}

/* Why a step of a walk has failed, in the words of what is missing. */
export function reasonOf(error: unknown): MissingReason {
  if (hasErrno(error, 'ENOENT')) return 'vanished';
  if (hasErrno(error, 'ELOOP', 'ENOTDIR')) return 'symlink';
  if (hasErrno(error, 'ENXIO', 'ENODEV')) return 'not-a-file';
  return 'unreadable';
}

interface Walk {
  readonly files: FoundFile[];
  readonly missing: MissingList;
  readonly signal: AbortSignal;
  entries: number;
}

/* Directories that are not there are no loss: they are hints. */
export async function walkTree(
  root: FileHandle,
  dirs: readonly string[],
  signal: AbortSignal,
): Promise<TreeListing> {
  const walk: Walk = { files: [], missing: new MissingList(), signal, entries: 0 };
  for (const dir of dirs) await walkHint(walk, root, dir);
  return { files: walk.files, missing: walk.missing };
}

async function walkHint(walk: Walk, root: FileHandle, dir: string): Promise<void> {
  const names = dir.split('/');
  let directory = root;
  try {
    for (const [index, name] of names.entries()) {
      const path = names.slice(0, index + 1).join('/');
      const next = await enterHint(walk, directory, { name, path });
      if (directory !== root) await directory.close();
      directory = root;
      if (next === undefined) return;
      directory = next;
    }
    await walkDirectory(walk, directory, { path: dir, depth: 0 });
  } finally {
    if (directory !== root) await directory.close();
  }
}

async function enterHint(
  { missing }: Walk,
  directory: FileHandle,
  { name, path }: { readonly name: string; readonly path: string },
): Promise<FileHandle | undefined> {
  try {
    const found = await lstat(below(directory, name));
    if (found.isSymbolicLink()) missing.add(path, 'symlink');
    else if (found.isDirectory()) return await enterDirectory(directory, name);
  } catch (error) {
    if (!hasErrno(error, 'ENOENT')) missing.add(path, reasonOf(error));
  }
  return undefined;
}

interface Place {
  readonly path: string;
  readonly depth: number;
}

async function walkDirectory(walk: Walk, directory: FileHandle, place: Place): Promise<void> {
  const { path, depth } = place;
  for (const name of await entriesOf(walk, directory, path)) {
    walk.signal.throwIfAborted();
    const text = nameOf(name);
    const shown = `${path}/${name.toString('utf8')}`;
    if (text === undefined || `${path}/${text}`.length > pathCharactersMax) {
      walk.missing.add(shown, 'odd-name');
      continue;
    }
    const there = `${path}/${text}`;
    try {
      const found = await lstat(below(directory, name));
      if (found.isSymbolicLink()) walk.missing.add(there, 'symlink');
      else if (found.isFile()) addFile(walk, there, found);
      else if (!found.isDirectory()) walk.missing.add(there, 'not-a-file');
      else if (depth + 1 >= depthMax) walk.missing.add(there, 'too-deep');
      else {
        const inner = await enterDirectory(directory, name);
        try {
          await walkDirectory(walk, inner, { path: there, depth: depth + 1 });
        } finally {
          await inner.close();
        }
      }
    } catch (error) {
      walk.signal.throwIfAborted();
      walk.missing.add(there, reasonOf(error));
    }
  }
}

function addFile(
  { files, missing }: Walk,
  path: string,
  { size, mtimeMs }: { readonly size: number; readonly mtimeMs: number },
): void {
  if (size > fileBytesMax) missing.add(path, 'too-large');
  else files.push({ path, sizeBytes: size, modifiedAtMs: Math.trunc(mtimeMs) });
}

/* Read to the end only as far as the walk may go; in the order of their names, so that the same tree gives the same snapshot. */
async function entriesOf(
  walk: Walk,
  directory: FileHandle,
  path: string,
): Promise<readonly Buffer[]> {
  const entries: Buffer[] = [];
  try {
    for await (const name of namesIn(directory)) {
      walk.entries += 1;
      if (walk.entries > entriesMax) {
        walk.missing.add(path, 'too-many');
        break;
      }
      entries.push(name);
    }
  } catch (error) {
    walk.missing.add(path, reasonOf(error));
  }
  return entries.toSorted((one, other) => Buffer.compare(one, other));
}

/* Undefined: it is no text, or has control characters, which would end up in terminals, headers and lists. */
function nameOf(name: Buffer): string | undefined {
  const text = name.toString('utf8');
  return Buffer.from(text).equals(name) && !/\p{Cc}/u.test(text) ? text : undefined;
}
