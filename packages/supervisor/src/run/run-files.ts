/*
 * The run directory as the intent, and as the place where a shim's identity is found (S1).
 *
 * An empty run directory is the intent. The shim claims it by creating its journal in it; we void it with rmdir,
 * which the kernel refuses once a file is there. Exactly one wins, and a voided intent leaves nothing.
 */
import { mkdirSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { scanJournal } from '@clawdfather/shim';

export function runDirOf(runsDir: string, runId: string): string {
  return join(runsDir, runId);
}

/* False when it is there already. */
export function makeIntent(runDir: string): boolean {
  try {
    mkdirSync(runDir, { mode: 0o700 });
    return true;
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/* `voided`: nothing was started and nothing will be. `claimed`: a shim has it. */
export function voidIntent(runDir: string): 'voided' | 'claimed' {
  try {
    rmdirSync(runDir);
    return 'voided';
  } catch (error) {
    const code = errnoOf(error);
    if (code === 'ENOENT') return 'voided';
    if (code === 'ENOTEMPTY' || code === 'EEXIST') return 'claimed';
    throw error;
  }
}

/* The cookie of a claimed run; undefined while its header is not written. */
export function readCookie(runDir: string): Buffer | undefined {
  const { header } = scanJournal(runDir);
  return header === undefined ? undefined : Buffer.from(header.cookie);
}

export function errnoOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined;
}
