/*
 * Carrying out a retention plan, lazily.
 *
 * Stages per run: 1 rename its directory into the trash, 2 delete its row, and
 * later, in small steps, 3 unlink what is in the trash. The rename is one cheap
 * operation, so a removed run vanishes at once; the unlinking is spread out because
 * ext4 makes creating directories ten times slower right after many were deleted.
 *
 * A directory stays in the trash, emptied, until its row is gone: it is the note that the
 * run was removed. So a crash between the stages, and a full disk that takes no row, leave
 * what the next process that can write understands (finish-removals.ts).
 */
import { lstat, readdir, rename, rm, rmdir, unlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type Clock, hasErrno, type Random } from '@clawdfather/kit';
import { trashEntriesPerStep, trashPauseMs } from '../limits.ts';
import { isDiskRefusal } from '../registry/disk-refusal.ts';
import type { Registry } from '../registry/registry.ts';
import type { StateDir } from '../registry/state-dir.ts';
import type { RunId } from '../types.ts';

export interface RemovalDeps {
  readonly registry: Pick<Registry, 'get' | 'write'>;
  readonly stateDir: Pick<StateDir, 'runsDir' | 'trashDir'>;
  readonly random: Random;
}

export interface RemovalKey {
  readonly runId: RunId;
  readonly epoch: number;
}

/**
 * `open`: it is not what the plan took it for (any more), and was left alone. `unrecorded`: its directory is in the trash,
 * and the disk took no row.
 */
export async function removeRun(
  { registry, stateDir, random }: RemovalDeps,
  key: RemovalKey,
): Promise<'removed' | 'open' | 'unrecorded'> {
  const record = registry.get(key.runId);
  // Nothing leads from here back to life, so this cannot change before the row is deleted.
  if (record?.epoch !== key.epoch || record.treeEndedAtMs === undefined) return 'open';
  // A fresh name: the same run id may be spawned again while the old one lies in the trash.
  const target = join(stateDir.trashDir, `${key.runId}.${random.id()}`);
  await rename(join(stateDir.runsDir, key.runId), target).catch((error: unknown) => {
    if (!hasErrno(error, 'ENOENT')) throw error;
  });
  try {
    const outcome = await registry.write((transaction) => transaction.deleteRun(key));
    return outcome === 'done' ? 'removed' : 'open';
  } catch (error) {
    if (isDiskRefusal(error)) return 'unrecorded';
    throw error;
  }
}

export interface TrashDeps {
  readonly trashDir: string;
  readonly clock: Clock;
  /** The row of this entry is still there, so the entry has to be. */
  readonly isRecorded: (name: string) => boolean;
  readonly signal: AbortSignal | undefined;
}

/** Deletes what lies in the trash, a few entries at a time. Returns how many entries went. */
export async function emptyTrash({
  trashDir,
  clock,
  isRecorded,
  signal,
}: TrashDeps): Promise<number> {
  let count = 0;
  for (const path of await entriesOf(trashDir)) {
    for (const file of [...(await filesOf(path)), undefined]) {
      if (signal?.aborted === true) return count;
      if (file === undefined && isRecorded(basename(path))) continue;
      if (file === undefined) await removeEmptied(path);
      else await unlinkIfPossible(file);
      count += 1;
      if (count % trashEntriesPerStep === 0) await clock.sleep(trashPauseMs);
    }
  }
  return count;
}

async function entriesOf(dir: string): Promise<readonly string[]> {
  return (await readdir(dir)).map((name) => join(dir, name));
}

/** The files of a run directory, which has no directories in it. */
async function filesOf(path: string): Promise<readonly string[]> {
  const found = await lstat(path).catch(() => undefined);
  return found?.isDirectory() === true ? await entriesOf(path) : [];
}

/** What cannot be unlinked, a directory say, is left to `removeEmptied`. */
async function unlinkIfPossible(path: string): Promise<void> {
  await unlink(path).catch(() => undefined);
}

/** Files that are not ours go too, because they are in our trash. */
async function removeEmptied(path: string): Promise<void> {
  await rmdir(path).catch(() => rm(path, { recursive: true, force: true }));
}
