/*
 * A state directory that cannot be written: which disk it is, what is wrong with it, and what can be done.
 *
 * SQLite says "disk I/O error" for an index that finds no room, and "unable to open" for a missing inode. So its codes only
 * tell that the disk may be the cause; the file system is asked what is wrong. Its mount is not believed alone: a file system that
 * the kernel has closed after an error still calls itself writable there. So a file is made, and taken away again.
 */
import { closeSync, openSync, statfsSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { CodedError, errnoOf } from '@clawdfather/kit';
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
/* With more than this free, what finds no room has met a quota. */
const largestNeedBytes = 1024 * 1024;
const diskErrnos = ['ENOSPC', 'EDQUOT', 'EROFS', 'EIO'];

/** The disk would not have it. */
export function isDiskRefusal(error: unknown): boolean {
  const cause = causeOf(error);
  const refused = refusedBy(cause);
  return refused === 'full' || refused === 'io' || diskErrnos.includes(errnoOf(cause) ?? '');
}

/** What the disk refused, told with what is known of it; `undefined` when it was something else. */
export function diskRefusalOf(error: unknown, stateDir: string): SupervisorError | undefined {
  const isMaybe = refusedBy(causeOf(error)) === 'closed';
  if (!isMaybe && !isDiskRefusal(error)) return undefined;
  const disk = readDisk(stateDir, refusedBy(causeOf(error)) === 'full');
  // A disk without a fault leaves a missing right, or too few open files.
  if (isMaybe && disk.cause === 'failing') return undefined;
  return explain(error, stateDir, disk);
}

function causeOf(error: unknown): unknown {
  return error instanceof CodedError && error.cause !== undefined ? causeOf(error.cause) : error;
}

/* `isFull`: it was refused for want of room. A log that has grown needs more of it than anything else does. */
function readDisk(path: string, isFull: boolean): DiskFacts {
  const { bavail, blocks, bsize, files, ffree } = statfsSync(path);
  const mount = mountOf(readMountinfo(), path);
  const freeBytes = bavail * bsize;
  const facts = { freeBytes, totalBytes: blocks * bsize, freeInodes: ffree, mount };
  if (mount?.isReadOnly === true || whyNoFile(path) === 'EROFS')
    return { ...facts, cause: 'read-only' };
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

const words: Readonly<
  Record<DiskFacts['cause'], { readonly what: string; readonly cure: string }>
> = {
  full: { what: 'the disk is full', cure: makeSpace('Make space') },
  'no-inodes': { what: 'the disk has no inode left', cure: makeSpace('Free inodes') },
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
  return `${what}: clf gc, clf rm -f RUN, or end what fills it: clf kill RUN. All of these work now.`;
}
