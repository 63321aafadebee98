/*
 * A small disk of its own with an ext4 on it, whose blocks are smaller than a page of memory. It can be filled to within a few
 * blocks, and can turn read-only by itself, as a disk with errors does: its mount still says that it is writable.
 *
 * It is a file on a loop device, and needs root.
 */
import { execFileSync } from 'node:child_process';
import {
  closeSync,
  ftruncateSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface SmallExt4 extends Disposable {
  readonly path: string;
  /** Leaves about so many bytes free; 0: not one block. */
  fillBut(bytes: number): void;
  /** Takes that back. */
  relieve(): void;
  /** For good: the kernel takes nothing more for it. */
  turnReadOnly(): void;
}

/* The smallest that ext4 uses by itself for a disk of this size, and a quarter of a page. */
const blockBytes = 1_024;

export function openSmallExt4(bytes: number): SmallExt4 {
  const directory = mkdtempSync(join(tmpdir(), 'clf-ext4-'));
  const image = join(directory, 'image');
  const path = join(directory, 'disk');
  closeSync(openSync(image, 'w', 0o600));
  truncateSync(image, bytes);
  mkdirSync(path, 0o700);
  // Without blocks for root: what is free is free for everybody.
  run('/sbin/mkfs.ext4', '-q', '-m', '0', '-b', String(blockBytes), image);
  run('/bin/mount', '-o', 'loop', image, path);
  const ballast = join(path, 'ballast');
  const relieve = (): void => rmSync(ballast, { force: true });
  return {
    path,
    fillBut: (left) => fillBut(path, ballast, left),
    relieve,
    turnReadOnly: () => run('/bin/mount', '-o', 'remount,abort', path),
    [Symbol.dispose]: () => {
      run('/bin/umount', '-l', path);
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function fillBut(path: string, ballast: string, left: number): void {
  const file = openSync(ballast, 'a');
  try {
    let length = 0;
    try {
      for (;;) length += writeSync(file, Buffer.alloc(blockBytes * blockBytes, 1));
    } catch {
      // The large steps are done; the rest goes block by block.
    }
    try {
      for (;;) length += writeSync(file, Buffer.alloc(blockBytes, 1));
    } catch {
      // It is full.
    }
    ftruncateSync(file, length - left);
  } finally {
    closeSync(file);
  }
  // What is written later is counted now.
  run('/bin/sync', '-f', path);
}

function run(program: string, ...args: string[]): void {
  execFileSync(program, args, { stdio: 'pipe' });
}
