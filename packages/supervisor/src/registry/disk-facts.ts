/*
 * The disk under a path: which one it is, how much of it is free, and what keeps it from taking anything. It is a side door, for
 * callers that write elsewhere than into the state directory.
 *
 * Its mount is not believed alone: a file system that the kernel has closed after an error still calls itself writable there. So a file
 * is made, and taken away again. Ask only where something has been refused.
 */
import { closeSync, openSync, statfsSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf } from '@clawdfather/kit';
import { mountOf, readMountinfo, type Mount } from './mounts.ts';

export interface DiskFacts {
  /** `failing`: nothing is seen that would explain a refusal. */
  readonly cause: 'full' | 'no-inodes' | 'read-only' | 'failing';
  readonly freeBytes: number;
  readonly totalBytes: number;
  readonly freeInodes: number;
  /** `undefined` when the mounts cannot be read. */
  readonly mount: Mount | undefined;
}

/* The registry's index alone takes 32 KiB; with less than twice that nothing of ours can begin. */
const freeBytesMin = 64 * 1024;
/* With more than this free, what finds no room has met a quota. */
const largestNeedBytes = 1024 * 1024;

/** `isFull`: it was refused for want of room. A log that has grown needs more of it than anything else does. */
export function readDisk(directory: string, isFull = false): DiskFacts {
  const { bavail, blocks, bsize, files, ffree } = statfsSync(directory);
  const mount = mountOf(readMountinfo(), directory);
  const freeBytes = bavail * bsize;
  const facts = { freeBytes, totalBytes: blocks * bsize, freeInodes: ffree, mount };
  const isReadOnly = mount?.isReadOnly === true || whyNoFile(directory) === 'EROFS';
  if (isReadOnly) return { ...facts, cause: 'read-only' };
  if (freeBytes < (isFull ? largestNeedBytes : freeBytesMin)) return { ...facts, cause: 'full' };
  // Some file systems make inodes as they are needed, and count none.
  if (files > 0 && ffree === 0) return { ...facts, cause: 'no-inodes' };
  return { ...facts, cause: 'failing' };
}

/* What the kernel says to a new file; undefined when it makes one. */
function whyNoFile(directory: string): string | undefined {
  const path = join(directory, `.probe-${process.pid}`);
  try {
    closeSync(openSync(path, 'wx', 0o600));
    unlinkSync(path);
    return undefined;
  } catch (error) {
    return errnoOf(error);
  }
}

const faults: Readonly<Record<DiskFacts['cause'], string>> = {
  full: 'the disk is full',
  'no-inodes': 'the disk has no inode left',
  'read-only': 'the disk is read-only',
  failing: 'the disk refuses it',
};

/** What is wrong, and with which disk. */
export function formatDisk({ cause, ...disk }: DiskFacts): string {
  const { freeBytes, totalBytes, freeInodes, mount } = disk;
  const where = mount === undefined ? '' : `${mount.source} mounted at ${mount.point}, `;
  return `${faults[cause]} (${where}${kib(freeBytes)} of ${kib(totalBytes)} KiB and ${freeInodes} inodes are free)`;
}

function kib(bytes: number): number {
  return Math.floor(bytes / 1024);
}
