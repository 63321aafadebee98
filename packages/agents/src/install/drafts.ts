/*
 * Installations under way, each in a directory of its own beside the places: `.draft-MARK-ID`, with the mark of the process that
 * makes it. A draft is never taken for an installation; those of dead processes are swept when the next one begins.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Random } from '@clawdfather/kit';
import { markProcess, readLiveness } from './process-mark.ts';

const draftPattern = /^\.draft-([0-9a-f.]+)-\w+$/;

/** npm goes on for a while when we are killed, and writes; its draft is left alone until it has ended, too. */
const npmMarkName = '.npm-process';

export async function makeDraft(directory: string, random: Random): Promise<string> {
  const draft = join(directory, `.draft-${markProcess(process.pid) ?? ''}-${random.id()}`);
  await mkdir(draft, { mode: 0o700 });
  return draft;
}

export function markNpm(draft: string, pid: number): void {
  const mark = markProcess(pid);
  if (mark !== undefined) writeFileSync(join(draft, npmMarkName), mark, { mode: 0o600 });
}

export async function unmarkNpm(draft: string): Promise<void> {
  await rm(join(draft, npmMarkName), { force: true });
}

export async function removeTree(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true, maxRetries: 3 });
}

export async function sweepDrafts(directory: string): Promise<void> {
  for (const name of await readdir(directory)) {
    const mark = draftPattern.exec(name)?.[1];
    if (mark === undefined || readLiveness(mark) !== 'dead') continue;
    if (readNpmLiveness(join(directory, name)) === 'dead') await removeTree(join(directory, name));
  }
}

function readNpmLiveness(draft: string): 'alive' | 'dead' | 'unknown' {
  try {
    return readLiveness(readFileSync(join(draft, npmMarkName), 'utf8'));
  } catch {
    // It was not started, or has ended.
    return 'dead';
  }
}
