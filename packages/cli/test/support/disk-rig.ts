/*
 * The command line with its state directory on a small disk of its own.
 */
import { statfsSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { openSmallDisk, runDirectoriesIn, type SmallDisk } from '@clawdfather/testkit';
import { type CliRig, createCliRig } from './cli-process.ts';

export interface DiskRig extends Omit<CliRig, 'stateDir'> {
  readonly disk: SmallDisk;
  readonly stateDir: string;
}

export function createDiskRig(context: TestContext, options = 'size=6m'): DiskRig {
  return onDisk(context, createCliRig(context), options);
}

export function onDisk<Rig extends CliRig>(
  context: TestContext,
  rig: Rig,
  options: string,
): Rig & DiskRig {
  const disk = openSmallDisk(options);
  const stateDir = join(disk.path, 'state');
  rig.env['CLAWDFATHER_STATE_DIR'] = stateDir;
  // Before the disk goes, whatever the test left on it.
  context.after(async () => {
    disk.relieve();
    const ids = runDirectoriesIn(stateDir);
    if (ids.length > 0) await rig.clf('rm', '-f', ...ids);
    disk[Symbol.dispose]();
  });
  return { ...rig, disk, stateDir };
}

export function freeBytes({ disk }: DiskRig): number {
  const { bavail, bsize } = statfsSync(disk.path);
  return bavail * bsize;
}

export function sizeBytes({ disk }: DiskRig): number {
  const { blocks, bsize } = statfsSync(disk.path);
  return blocks * bsize;
}

/* False when somebody else took the last room while we did. */
export function isFull({ disk }: DiskRig): boolean {
  try {
    disk.fill();
    return true;
  } catch {
    return false;
  }
}
