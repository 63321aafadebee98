/*
 * A small disk of its own in memory, that can be filled to the last byte, robbed of its inodes, and made read-only.
 *
 * It is a tmpfs, and needs root. Read-only it becomes by a second mount over the same place: programs that have files open for
 * writing keep the kernel from remounting it, and such programs are what the tests are about.
 */
import { execFileSync } from 'node:child_process';
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmdirSync,
  rmSync,
  statfsSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface SmallDisk extends Disposable {
  readonly path: string;
  /** Not one byte can be written afterwards. */
  fill(): void;
  /** Not one file can be made afterwards. */
  useInodes(): void;
  makeReadOnly(): void;
  /** Takes back what these three did. */
  relieve(): void;
}

/** Why there can be none here; `false` when there can. */
export const smallDiskSkip = process.getuid?.() === 0 ? false : 'needs root, to mount a small disk';

/** Mount options such as `size=4m`. `at`: a directory that is made for it; absent: one of its own. */
export function openSmallDisk(options: string, at?: string): SmallDisk {
  const path = at ?? mkdtempSync(join(tmpdir(), 'clf-disk-'));
  if (at !== undefined) mkdirSync(at);
  mount('-t', 'tmpfs', '-o', `mode=0700,${options}`, 'clf-test', path);
  let isReadOnly = false;
  const ballast = join(path, 'ballast');
  const inodes: string[] = [];
  const relieve = (): void => {
    if (isReadOnly) umount(path);
    isReadOnly = false;
    rmSync(ballast, { force: true });
    for (const directory of inodes.splice(0)) rmdirSync(directory);
  };
  return {
    path,
    fill: () => fill(path, ballast),
    useInodes: () => {
      for (let free = statfsSync(path).ffree; free > 0; free -= 1) {
        const directory = join(path, `inode-${free}`);
        mkdirSync(directory);
        inodes.push(directory);
      }
    },
    makeReadOnly: () => {
      mount('--bind', path, path);
      mount('-o', 'remount,bind,ro', path);
      isReadOnly = true;
    },
    relieve,
    [Symbol.dispose]: () => {
      relieve();
      umount(path);
      rmdirSync(path);
    },
  };
}

function fill(path: string, ballast: string): void {
  const file = openSync(ballast, 'a');
  try {
    for (;;) {
      const { bavail, bsize } = statfsSync(path);
      if (bavail === 0) return;
      writeSync(file, Buffer.alloc(bavail * bsize, 1));
    }
  } finally {
    closeSync(file);
  }
}

function mount(...args: string[]): void {
  execFileSync('/bin/mount', args, { stdio: 'pipe' });
}

/* Lazily: a program that has a file open on it keeps it, and nobody finds it any more. */
function umount(path: string): void {
  execFileSync('/bin/umount', ['-l', path], { stdio: 'pipe' });
}
