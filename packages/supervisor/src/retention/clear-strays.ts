/*
 * Run directories without a record: an intent whose owner died before its commit, or runs of a lost registry.
 *
 * An empty one means nothing and goes, once it is old enough not to be a spawn under way (rmdir only takes empty
 * ones, so a shim that claims it at this moment wins). One with a journal holds a run's output: it stays and is
 * reported, and `doctor --rebuild` brings it back.
 */
import { readdir, rmdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { strayAgeMs } from '../limits.ts';

export interface Strays {
  readonly cleared: readonly string[];
  readonly unrecorded: readonly string[];
}

export interface StrayDeps {
  readonly runsDir: string;
  readonly isRecorded: (name: string) => boolean;
  readonly nowMs: number;
  readonly dryRun: boolean;
}

export async function clearStrays(deps: StrayDeps): Promise<Strays> {
  const cleared: string[] = [];
  const unrecorded: string[] = [];
  for (const name of await readdir(deps.runsDir)) {
    if (deps.isRecorded(name)) continue;
    const path = join(deps.runsDir, name);
    const entries = await readdir(path).catch(() => undefined);
    if (entries === undefined) continue; /* gone since, or no directory of ours */
    if (entries.length > 0) unrecorded.push(name);
    else if (await isOld(path, deps.nowMs)) {
      if (!deps.dryRun) await rmdir(path).catch(() => undefined); /* claimed just now */
      cleared.push(name);
    }
  }
  return { cleared, unrecorded };
}

async function isOld(path: string, nowMs: number): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found !== undefined && nowMs - found.mtimeMs > strayAgeMs;
}
