/*
 * A small disk of its own, whose power can be cut.
 *
 * It is an ext4 in a file, mounted through a loop device. What programs have written and not synced is in the kernel's memory
 * and not in the file; so a copy of the file is what a power cut would have left, and mounting the copy is the next start.
 * Whoever writes has to be frozen while it is copied (freeze-process.ts), because a cut is one moment and a copy is not.
 *
 * Only for a process that was started with `inOwnMounts` in front: its mounts are its own, the rest of the machine does not
 * see them, and the kernel takes them and their loop devices away with the last process that is in there, however it ends.
 * It needs root and loop devices; where they are missing, opening fails and says so.
 */
import { execFile } from 'node:child_process';
import { constants, copyFile, mkdir, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

export interface LoopDisk extends AsyncDisposable {
  /** Where it is mounted. */
  readonly path: string;
  /** What a power cut would leave at this moment, as a disk of its own. */
  copyAfterPowerCut(): Promise<LoopDisk>;
}

/** Put in front of a command: mounts of its own, and it dies with whoever starts it. */
export const inOwnMounts: readonly string[] = [
  '/usr/bin/setpriv',
  '--pdeathsig',
  'KILL',
  '/usr/bin/unshare',
  '--mount',
  '--propagation',
  'private',
];

/* The kernel would sync by itself every five seconds and hide what a program forgot to. */
const mountOptions = 'loop,noatime,commit=600';

/** The directory is the caller's, and is removed by it. */
export async function openLoopDisk(directory: string, bytes: number): Promise<LoopDisk> {
  const image = join(directory, 'disk.img');
  await writeFile(image, '');
  await truncate(image, bytes);
  await run('mkfs.ext4', ['-q', '-F', '-E', 'lazy_itable_init=0,lazy_journal_init=0', image]);
  return await mountImage(image);
}

async function mountImage(image: string): Promise<LoopDisk> {
  const path = `${image}.mounted`;
  await mkdir(path);
  await run('mount', ['-t', 'ext4', '-o', mountOptions, image, path]);
  let copies = 0;
  let isMounted = true;
  return {
    path,
    copyAfterPowerCut: async () => {
      copies += 1;
      const copy = `${image}.${copies}`;
      await copyFile(image, copy, constants.COPYFILE_EXCL);
      return await mountImage(copy);
    },
    [Symbol.asyncDispose]: async () => {
      if (!isMounted) return;
      isMounted = false;
      await run('umount', [path]);
      await rm(path, { recursive: true });
      await rm(image);
    },
  };
}

async function run(program: string, args: readonly string[]): Promise<void> {
  try {
    await promisify(execFile)(program, args, { env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' } });
  } catch (error) {
    const why = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : '';
    throw new Error(`a loop disk needs root and loop devices; ${program} said: ${why}`, {
      cause: error,
    });
  }
}
