/*
 * A directory of ours that no other user can enter, for secrets and for settings that decide what is allowed.
 *
 * A missing directory is made with mode 0700, with its missing parents. One that exists has to be a real directory of ours. If
 * others could read it, its mode is corrected: an older version or another umask made it. If others could write to it, its mode
 * is corrected only if it is empty or if they could not reach it; otherwise its files may be theirs, and a person has to look.
 * The same rule holds for the files directly inside a directory that others could enter.
 */
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  type Stats,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { hasErrno } from '../errors.ts';
import { ownUid } from './own-group.ts';
import { shellWord } from './shell-word.ts';
import {
  inTheWay,
  isWritableByOthers,
  notOurs,
  type PathEntry,
  type Unsafe,
  walk,
} from './trusted-path.ts';

export const privateDirMode = 0o700;

/** How the caller's package says that a path cannot be used. */
export type Refuse = (unsafe: Unsafe) => Error;

/** Which directory it is, so that a copy of it can be told from it. */
export interface DirIdentity {
  readonly dev: number;
  readonly ino: number;
}

/** Throws what `refuse` makes of it. */
export function openPrivateDir(path: string, refuse: Refuse): DirIdentity {
  const above = makeTrustedDir(dirname(path), refuse);
  makeOne(path);
  const found = lstatSync(path);
  const problem = findProblem(path, found, above);
  if (problem !== undefined) throw refuse(problem);
  if ((found.mode & 0o077) !== 0) closeToAll(path, found, refuse);
  return { dev: found.dev, ino: found.ino };
}

/* By its descriptor: a program of ours could put a link in its place now, and another directory would be closed. */
function closeToAll(path: string, checked: Stats, refuse: Refuse): void {
  const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;
  const fd = openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  try {
    const { dev, ino } = fstatSync(fd);
    if (dev !== checked.dev || ino !== checked.ino) {
      throw refuse(inTheWay(path, 'it was replaced just now'));
    }
    fchmodSync(fd, privateDirMode);
  } finally {
    closeSync(fd);
  }
}

/** A directory that others may read and cannot change, such as the one with the config file; made 0700 where it is missing. */
export function makeTrustedDir(path: string, refuse: Refuse): PathEntry {
  // Checked before and after: a recursive mkdir follows a symbolic link that another user has put there.
  const before = walk(path);
  if (before.kind === 'unsafe') throw refuse(before.unsafe);
  if (before.kind === 'trusted') return mustBeDirectory(before.entry, refuse);
  mkdirSync(path, { recursive: true, mode: privateDirMode });
  const made = walk(path);
  if (made.kind === 'trusted') return mustBeDirectory(made.entry, refuse);
  throw refuse(made.kind === 'unsafe' ? made.unsafe : inTheWay(path, 'it vanishes'));
}

function mustBeDirectory(entry: PathEntry, refuse: Refuse): PathEntry {
  if (entry.isDirectory) return entry;
  throw refuse(inTheWay(entry.path, 'it is not a directory'));
}

function makeOne(path: string): void {
  try {
    mkdirSync(path, privateDirMode);
  } catch (error) {
    if (!hasErrno(error, 'EEXIST')) throw error;
  }
}

function findProblem(path: string, found: Stats, { isClosed }: PathEntry): Unsafe | undefined {
  if (found.isSymbolicLink()) return inTheWay(path, 'it is a symbolic link');
  if (!found.isDirectory()) return inTheWay(path, 'it is not a directory');
  if (found.uid !== ownUid()) return notOurs(path, found);
  // Once the directory is closed, its files look safe; so they are checked before.
  if (isClosed || (found.mode & 0o077) === 0) return undefined;
  const names = readdirSync(path);
  if (isWritableByOthers(found) && names.length > 0) return mayBeTheirs(path, '700');
  const open = names.map((name) => join(path, name)).find(couldBeChanged);
  return open === undefined ? undefined : mayBeTheirs(open, 'go-w');
}

function couldBeChanged(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return false;
  // A link cannot be written to, and what uses it looks at where it leads.
  return found.uid !== ownUid() || (!found.isSymbolicLink() && isWritableByOthers(found));
}

function mayBeTheirs(path: string, mode: string): Unsafe {
  const word = shellWord(path);
  return {
    path,
    why: 'others could write to it, so what is in it may be theirs',
    cure: `chmod ${mode} ${word}, after a look at what is in it: ls -lA ${word}`,
  };
}
