/*
 * Deletes the rows of runs whose directories are in the trash. The process that removed them could not delete the rows, because
 * the disk was full or because it died in between.
 *
 * The proof is the directory itself: a rename keeps its inode, and the row has had its number since the start (O5). So a later
 * run of the same id is never taken for it.
 */
import { lstatSync, readdirSync } from 'node:fs';
import { rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { SupervisorContext } from '../context.ts';
import { isDiskRefusal } from '../registry/disk-refusal.ts';
import { isRunIdText } from '../run/spawn/check-spawn-input.ts';
import type { RunRecord } from '../types.ts';

interface TrashContext extends Pick<SupervisorContext, 'registry' | 'stateDir'> {
  readonly host: Pick<SupervisorContext['host'], 'bootId'>;
}

type RemovalContext = TrashContext & Pick<SupervisorContext, 'log'>;

/** How many were forgotten. */
export async function finishRemovals(context: RemovalContext): Promise<number> {
  const { registry, stateDir, log } = context;
  let count = 0;
  for (const name of readdirSync(stateDir.trashDir)) {
    const record = recordOfTrash(context, name);
    if (record === undefined) continue;
    const { runId, epoch } = record;
    const isDone = await registry
      .write((tx) => tx.forgetRun({ runId, epoch }))
      .then(() => true, isStillRefused);
    if (!isDone) return count;
    // Emptied before; what is not is left to the next gc.
    await rmdir(join(stateDir.trashDir, name)).catch(() => undefined);
    log.event('run.removed', { runId, why: 'its directory was deleted before', rule: 'by-hand' });
    count += 1;
  }
  return count;
}

/* The disk is full again: the next process finishes it. */
function isStillRefused(error: unknown): false {
  if (isDiskRefusal(error)) return false;
  throw error;
}

/** The row of a trash entry, which is named `<runId>.<random>`, if it has one. */
export function recordOfTrash(
  { registry, stateDir, host }: TrashContext,
  name: string,
): RunRecord | undefined {
  const runId = name.slice(0, name.lastIndexOf('.'));
  const record = isRunIdText(runId) ? registry.get(runId) : undefined;
  if (record?.runDirIno === undefined) return undefined;
  const found = lstatSync(join(stateDir.trashDir, name), { throwIfNoEntry: false });
  if (found?.ino !== record.runDirIno) return undefined;
  // Disks may be numbered anew at boot.
  const isSameDisk = found.dev === record.runDirDev || record.bootId !== host.bootId;
  return isSameDisk ? record : undefined;
}
