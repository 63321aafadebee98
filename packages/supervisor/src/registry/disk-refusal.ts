/*
 * A state directory that cannot be written: which disk it is, what is wrong with it, and what can be done.
 *
 * SQLite says "disk I/O error" for an index that finds no room, and "unable to open" for a missing inode. So its codes only
 * tell that the disk may be the cause; the file system is asked what is wrong.
 */
import { CodedError, errnoOf } from '@clawdfather/kit';
import { SupervisorError } from '../errors.ts';
import { type DiskFacts, formatDisk, readDisk } from './disk-facts.ts';
import { refusedBy } from './registry-errors.ts';

const diskErrnos = ['ENOSPC', 'EDQUOT', 'EROFS', 'EIO'];

/** The disk would not have it. */
export function isDiskRefusal(error: unknown): boolean {
  const cause = causeOf(error);
  const refused = refusedBy(cause);
  return refused === 'full' || refused === 'io' || diskErrnos.includes(errnoOf(cause) ?? '');
}

/** What the disk refused, told with what is known of it; `undefined` when it was something else. */
export function diskRefusalOf(error: unknown, stateDir: string): SupervisorError | undefined {
  const refused = refusedBy(causeOf(error));
  if (refused !== 'closed' && !isDiskRefusal(error)) return undefined;
  const disk = readDisk(stateDir, refused === 'full');
  // A disk without a fault leaves a missing right, or too few open files.
  if (refused === 'closed' && disk.cause === 'failing') return undefined;
  return explain(error, stateDir, disk);
}

function causeOf(error: unknown): unknown {
  return error instanceof CodedError && error.cause !== undefined ? causeOf(error.cause) : error;
}

const cures: Readonly<Record<DiskFacts['cause'], string>> = {
  full: makeSpace('Make space'),
  'no-inodes': makeSpace('Free inodes'),
  'read-only': 'Runs can be read and ended. To delete or start anything, mount it writable again.',
  failing:
    'See the kernel log (dmesg) for errors of the device, and your quota. Runs can be read and ended.',
};

function makeSpace(what: string): string {
  return `${what}: clf gc, clf rm -f RUN, or end what fills it: clf kill RUN. All of these work now.`;
}

function explain(error: unknown, stateDir: string, disk: DiskFacts): SupervisorError {
  const { cause, freeBytes, freeInodes, mount } = disk;
  const code = cause === 'full' || cause === 'no-inodes' ? 'registry-full' : 'registry-failed';
  return new SupervisorError(code, `nothing can be written to ${stateDir}: ${formatDisk(disk)}`, {
    cause: error,
    hint: cures[cause],
    detail: {
      stateDir,
      disk: cause,
      freeBytes,
      freeInodes,
      ...(mount === undefined ? {} : { mountPoint: mount.point, device: mount.source }),
    },
  });
}
