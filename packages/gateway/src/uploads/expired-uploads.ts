/*
 * Removes the uploads whose time is over, and what a gateway that was killed has left of others.
 */
import { lstat, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock, Log } from '@clawdfather/kit';
import { below, holdDirectory, namesIn } from '@clawdfather/kit/files';
import type { InTurn } from './in-turn.ts';
import { unsafe } from './unsafe-place.ts';
import type { KeptUpload } from './upload-room.ts';
import { keptMs, readFacts, removeFiles } from './upload-facts.ts';

export interface SweepDeps {
  /* With a directory for each account. */
  readonly root: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly inTurn: InTurn;
}

export async function sweepUploads({ root, clock, log, inTurn }: SweepDeps): Promise<void> {
  for (const account of await directoriesIn(root)) {
    // What is broken in one account keeps no other from being swept.
    try {
      const { failures } = await inTurn(account, () =>
        removeExpired(join(root, account), clock.wallMs()),
      );
      if (failures.length > 0) throw failures[0];
    } catch (error) {
      log.warn('uploads.not-swept', { accountId: account, error });
    }
  }
}

interface Left {
  readonly kept: readonly KeptUpload[];
  /* Why something could not be read or removed. It stays until the next time, and keeps no other file from being removed or announced. */
  readonly failures: readonly unknown[];
}

export async function removeExpired(place: string, nowMs: number): Promise<Left> {
  const kept: KeptUpload[] = [];
  const failures: unknown[] = [];
  for (const name of await readdir(place)) {
    try {
      const upload = await readKept(place, name, nowMs);
      if (upload !== undefined) kept.push(upload);
    } catch (error) {
      failures.push(error);
    }
  }
  return { kept, failures };
}

/* What a file was announced with, unless its time was over. */
async function readKept(
  place: string,
  name: string,
  nowMs: number,
): Promise<KeptUpload | undefined> {
  const id = name.split('.')[0] ?? '';
  const kept = name === `${id}.json` ? await readFacts(join(place, id)) : undefined;
  // Half of a pair, announced by a gateway that was killed just then, or facts that are none. The other half comes by itself.
  if (kept === undefined) await removeStray(join(place, name), nowMs);
  else if (nowMs >= kept.createdAtMs + keptMs) await removeFiles(join(place, id));
  else {
    const { size, isOfToken = false, takenAtMs } = kept;
    return { id, size, isOfToken, takenAtMs };
  }
  return undefined;
}

async function removeStray(path: string, nowMs: number): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined || nowMs - found.mtimeMs <= 2 * keptMs) return;
  await rm(path, { recursive: true, force: true });
}

/* No gateway has as many accounts with files. Beside ours an agent may have put what it likes. */
const directoriesMax = 10_000;

/* None where nothing was ever brought. Throws `uploads-unsafe` where something else is in the place of the root. */
export async function directoriesIn(root: string): Promise<readonly string[]> {
  await using held = await holdDirectory(root, unsafe);
  const names: string[] = [];
  if (held === undefined) return names;
  for await (const name of namesIn(held)) {
    // Links to directories are none.
    const found = await lstat(below(held, name)).catch(() => undefined);
    if (found?.isDirectory() === true) names.push(name.toString());
    if (names.length === directoriesMax) break;
  }
  return names;
}
