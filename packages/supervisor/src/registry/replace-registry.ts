/*
 * A rebuilt registry in the place of the old one, which is renamed and never deleted, so that nothing is lost if the rebuild
 * went wrong too. Where the new one cannot take the name, the old one gets it back.
 *
 * A process that still has the old file open goes on writing to it under its new
 * name; `doctor` therefore says to stop other supervisors first. Runs go on.
 */
import { rename, rm, stat } from 'node:fs/promises';
import { hasErrno } from '@clawdfather/kit';
import { SupervisorError } from '../errors.ts';
import type { StateDir } from './state-dir.ts';

type RegistryFile = Pick<StateDir, 'registryFile'>;

/* The log and its index belong to the file and are of no use without it. */
const parts = ['', '-wal', '-shm'];

/** Returns the new name of the old file, or `undefined` when there was none. `draft` is closed, and has no log any more. */
export async function replaceRegistry(
  { registryFile }: RegistryFile,
  draft: RegistryFile,
  wallMs: number,
): Promise<string | undefined> {
  await refuseUnfinished(draft);
  const aside = `${registryFile}.damaged-${wallMs}`;
  const isMoved = await moveAll(registryFile, aside);
  try {
    await rename(draft.registryFile, registryFile);
  } catch (error) {
    await moveAll(aside, registryFile);
    throw error;
  }
  return isMoved ? aside : undefined;
}

export async function removeRegistry({ registryFile }: RegistryFile): Promise<void> {
  for (const part of parts) await rm(`${registryFile}${part}`, { force: true });
}

/* Closing folds the log in; where the disk had no room for that it is still there, and would not go along. */
async function refuseUnfinished({ registryFile }: RegistryFile): Promise<void> {
  const log = await stat(`${registryFile}-wal`).catch(() => undefined);
  if (log === undefined || log.size === 0) return;
  throw new SupervisorError('registry-full', 'the rebuilt registry could not be written', {
    detail: { file: registryFile },
    hint: 'Free some space on the state directory and try again; the registry is as it was.',
  });
}

async function moveAll(from: string, to: string): Promise<boolean> {
  let isMoved = false;
  for (const part of parts) {
    const moved = await moveIfThere(`${from}${part}`, `${to}${part}`);
    isMoved ||= moved;
  }
  return isMoved;
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
