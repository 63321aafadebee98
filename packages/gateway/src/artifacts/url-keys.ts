/*
 * The keys that addresses of artifacts are signed with: files that only we can read, as the master keys are.
 *
 * A start makes a new one when the newest is a month old, and removes those that can have signed nothing that is still good. Who wants to end
 * every address at once removes the files and starts the gateway anew.
 */
import { readdir, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock, Random } from '@clawdfather/kit';
import { type MasterKeys, openMasterKeys, rotateMasterKey } from '@clawdfather/ssh';
import { addressMs } from './limits.ts';

const keyMs = 30 * 24 * 3_600_000;

export async function openUrlKeys(
  directory: string,
  { clock, random }: { readonly clock: Clock; readonly random: Random },
): Promise<MasterKeys> {
  await openMasterKeys(directory, random);
  const nowMs = clock.wallMs();
  const [newest, ...older] = await byAge(directory);
  if (newest !== undefined && nowMs - newest.madeAtMs >= keyMs) {
    await rotateMasterKey(directory, random);
  } else if (newest !== undefined && nowMs - newest.madeAtMs > 2 * addressMs) {
    // All that they have signed is over, in the hands of a process that has not started anew either.
    for (const { path } of older) await unlink(path);
  }
  return openMasterKeys(directory, random);
}

async function byAge(directory: string) {
  const names = (await readdir(directory)).filter((name) => /^\d+\.key$/.test(name));
  const numbered = names
    .map((name) => ({ number: Number.parseInt(name, 10), path: join(directory, name) }))
    .toSorted((one, other) => other.number - one.number);
  return Promise.all(
    numbered.map(async ({ path }) => ({ path, madeAtMs: (await stat(path)).mtimeMs })),
  );
}
