/*
 * A state directory that cannot be written: which disk it is, what is wrong with it, and what can be done.
 *
 * SQLite says "disk I/O error" for an index that finds no room, and "unable to open" for a missing inode. So its codes only
 * tell that the disk may be the cause; the file system is asked what is wrong.
 */
import { statfsSync } from 'node:fs';
import { errnoOf } from '@clawdfather/kit';
import { SupervisorError } from '../errors.ts';
import { mountOf, readMountinfo, type Mount } from './mounts.ts';
import { refusedBy } from './registry-errors.ts';

interface DiskFacts {
  readonly cause: 'full' | 'no-inodes' | 'read-only' | 'failing';
  readonly freeBytes: number;
  readonly totalBytes: number;
  readonly freeInodes: number;
  /** `undefined` when the mounts cannot be read. */
  readonly mount: Mount | undefined;
}

/* The registry's index alone takes 32 KiB; with less than twice that nothing of ours can begin. */
const freeBytesMin = 64 * 1024;
const diskErrnos = ['ENOSPC', 'EDQUOT', 'EROFS', 'EIO'];

/** The disk would not have it. */
export function isDiskRefusal(error: unknown): boolean {
  const cause = causeOf(error);
  return refusedBy(cause) === 'disk' || diskErrnos.includes(errnoOf(cause) ?? '');
}

/** What the disk refused, told with what is known of it; `undefined` when it was something else. */
export function diskRefusalOf(error: unknown, stateDir: string): SupervisorError | undefined {
  const isMaybe = refusedBy(causeOf(error)) === 'closed';
  if (!isMaybe && !isDiskRefusal(error)) return undefined;
  const disk = readDisk(stateDir);
  // A disk without a fault leaves a missing right, or too few open files.
  if (isMaybe && disk.cause === 'failing') return undefined;
  return explain(error, stateDir, disk);
}

function causeOf(error: unknown): unknown {
  return error instanceof SupervisorError ? error.cause : error;
}

function readDisk(path: string): DiskFacts {
  const { bavail, blocks, bsize, files, ffree } = statfsSync(path);
  const mount = mountOf(readMountinfo(), path);
  const freeBytes = bavail * bsize;
  const facts = { freeBytes, totalBytes: blocks * bsize, freeInodes: ffree, mount };
  if (mount?.isReadOnly === true) return { ...facts, cause: 'read-only' };
  if (freeBytes < freeBytesMin) return { ...facts, cause: 'full' };
  // Some file systems make inodes as they are needed, and count none.
  if (files > 0 && ffree === 0) return { ...facts, cause: 'no-inodes' };
  return { ...facts, cause: 'failing' };
}

const words: Readonly<
  Record<DiskFacts['cause'], { readonly what: string; readonly cure: string }>
> = {
  full: { what: 'the disk is full', cure: makeSpace('space') },
  'no-inodes': { what: 'the disk has no inode left', cure: makeSpace('inodes') },
  'read-only': {
    what: 'the disk is read-only',
    cure: 'Runs can be read and ended. To delete or start anything, mount it writable again.',
  },
  failing: {
    what: 'the disk refuses it',
    cure: 'See the kernel log (dmesg) for errors of the device, and your quota. Runs can be read and ended.',
  },
};

function explain(error: unknown, stateDir: string, disk: DiskFacts): SupervisorError {
  const { cause, freeBytes, freeInodes, mount } = disk;
  const code = cause === 'full' || cause === 'no-inodes' ? 'registry-full' : 'registry-failed';
  return new SupervisorError(
    code,
    `nothing can be written to ${stateDir}: ${words[cause].what} (${formatDisk(disk)})`,
    {
      cause: error,
      hint: words[cause].cure,
      detail: {
        stateDir,
        disk: cause,
        freeBytes,
        freeInodes,
        ...(mount === undefined ? {} : { mountPoint: mount.point, device: mount.source }),
      },
    },
  );
}

function formatDisk({ freeBytes, totalBytes, freeInodes, mount }: DiskFacts): string {
  const where = mount === undefined ? '' : `${mount.source} mounted at ${mount.point}, `;
  return `${where}${kib(freeBytes)} of ${kib(totalBytes)} KiB and ${freeInodes} inodes are free`;
}

function kib(bytes: number): number {
  return Math.floor(bytes / 1024);
}

function makeSpace(what: string): string {
  return `Make ${what}: clf gc, clf rm -f RUN, or end what fills it: clf kill RUN. All of these work now.`;
}
