/*
 * Whether no other user can change what a path leads to, nor any directory on the way.
 *
 * A user who can write to a directory decides what its names lead to. So every directory from the root down is checked, and
 * every symbolic link on the way. The rules:
 *
 *   TP1 Each directory, and what the path leads to, belongs to us or to root. The owner of `/` counts as root: in a user
 *       namespace root has another number there.
 *   TP2 Others cannot write to it, unless it is sticky (in `/tmp` no other user can rename our files), or its group has no
 *       member but us (systems that give each user a group of their own make directories 0775).
 *   TP3 Below a directory of ours that others cannot enter, TP2 holds by itself.
 *
 * A missing directory counts as trusted: we make it ourselves and set its mode. The launcher has the same rule in plain JavaScript
 * (packages/cli/bin/clawdfather.cjs), and one table of tests holds both to it.
 */
import { lstatSync, readlinkSync, statSync, type Stats } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { hasErrno } from '../errors.ts';
import { isGroupOurs, ownUid } from './own-group.ts';
import { shellWord } from './shell-word.ts';

export interface Unsafe {
  /** The directory or file that has the problem. */
  readonly path: string;
  readonly why: string;
  /** The command that mends it. */
  readonly cure: string;
}

export interface PathEntry {
  readonly path: string;
  readonly isDirectory: boolean;
  /** TP3 */
  readonly isClosed: boolean;
}

export type Walked =
  | { readonly kind: 'trusted'; readonly entry: PathEntry }
  /** Everything that is there is trusted; the rest has to be made. */
  | { readonly kind: 'missing' }
  | { readonly kind: 'unsafe'; readonly unsafe: Unsafe };

/* As the kernel does. */
const linksMax = 40;

const root = 0;
const sticky = 0o1000;

/** Undefined when no other user can change what the path leads to. */
export function findUnsafe(path: string): Unsafe | undefined {
  const walked = walk(path);
  return walked.kind === 'unsafe' ? walked.unsafe : undefined;
}

export function walk(path: string): Walked {
  if (!isAbsolute(path)) throw new TypeError('a path to be trusted must be absolute');
  const trustedUids = [ownUid(), root, statSync('/').uid];
  const names = path.split('/').toReversed();
  const top: PathEntry = { path: '/', isDirectory: true, isClosed: false };
  const above: PathEntry[] = [top];
  let links = 0;
  for (;;) {
    const name = names.pop();
    const here = above.at(-1) ?? top;
    if (name === undefined) return { kind: 'trusted', entry: here };
    if (name === '' || name === '.') continue;
    if (name === '..') {
      if (above.length > 1) above.pop();
      continue;
    }
    if (!here.isDirectory) return unsafe(inTheWay(here.path, 'it is not a directory'));
    const next = join(here.path, name);
    const stats = lstatIfThere(next);
    if (stats === undefined) return { kind: 'missing' };
    if (!trustedUids.includes(stats.uid)) return unsafe(notOurs(next, stats));
    if (stats.isSymbolicLink()) {
      links += 1;
      if (links > linksMax) return unsafe(inTheWay(next, 'it is one of too many links'));
      const target = readlinkSync(next);
      if (isAbsolute(target)) above.length = 1;
      names.push(...target.split('/').toReversed());
      continue;
    }
    if (!here.isClosed && isWritableByOthers(stats)) return unsafe(writable(next, stats));
    const isDirectory = stats.isDirectory();
    above.push({
      path: next,
      isDirectory,
      isClosed: here.isClosed || (isDirectory && isShut(stats)),
    });
  }
}

/** TP2 */
export function isWritableByOthers(stats: Stats): boolean {
  const { mode, gid } = stats;
  if (stats.isDirectory() && (mode & sticky) !== 0) return false;
  if ((mode & 0o002) !== 0) return true;
  return (mode & 0o020) !== 0 && !isGroupOurs(gid);
}

/** TP3. Root's directories do not count: we do not decide who may enter them. */
function isShut({ mode, uid }: Stats): boolean {
  return uid === ownUid() && (mode & 0o011) === 0;
}

function lstatIfThere(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch (error) {
    if (hasErrno(error, 'ENOENT')) return undefined;
    throw error;
  }
}

export function notOurs(path: string, { uid }: Pick<Stats, 'uid'>): Unsafe {
  return {
    path,
    why: `it belongs to user ${uid}`,
    cure: `chown -h ${ownUid()} ${shellWord(path)}`,
  };
}

function writable(path: string, { mode }: Pick<Stats, 'mode'>): Unsafe {
  const who = (mode & 0o002) === 0 ? 'its group' : 'everybody';
  return { path, why: `${who} can write to it`, cure: `chmod go-w ${shellWord(path)}` };
}

/* It may hold something, so it is put aside. */
export function inTheWay(path: string, why: string): Unsafe {
  return { path, why, cure: `mv ${shellWord(path)} ${shellWord(`${path}.aside`)}` };
}

function unsafe(found: Unsafe): Walked {
  return { kind: 'unsafe', unsafe: found };
}
