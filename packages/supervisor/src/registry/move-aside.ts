/*
 * Making room for a rebuild: the damaged registry is renamed, never deleted, so
 * that nothing is lost if the rebuild goes wrong too.
 *
 * A process that still has the old file open goes on writing to it under its new
 * name; `doctor` therefore says to stop other supervisors first. Runs go on.
 */
import { rename } from 'node:fs/promises';
import { hasErrno } from '@clawdfather/kit';
import type { StateDir } from './state-dir.ts';

/* The log and its index belong to the file and are of no use without it. */
const parts = ['', '-wal', '-shm'];

/** Returns the new name of the main file, or `undefined` when there was none. */
export async function moveRegistryAside(
  { registryFile }: Pick<StateDir, 'registryFile'>,
  wallMs: number,
): Promise<string | undefined> {
  const aside = `${registryFile}.damaged-${wallMs}`;
  let isMoved = false;
  for (const part of parts) {
    const moved = await moveIfThere(`${registryFile}${part}`, `${aside}${part}`);
    isMoved ||= moved;
  }
  return isMoved ? aside : undefined;
}

async function moveIfThere(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to);
    return true;
  } catch (error) {
    if (hasErrno(error, 'ENOENT')) return false;
    throw error;
  }
}
