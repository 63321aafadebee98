/*
 * The run directory as the intent, and as the place where a shim's identity is found (S1).
 *
 * An empty run directory is the intent. The shim claims it by creating its journal in it; we void it with rmdir,
 * which the kernel refuses once a file is there. Exactly one wins, and a voided intent leaves nothing.
 */
import { rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf } from '@clawdfather/kit';
import { type JournalScan, scanJournal } from '@clawdfather/shim';

export function runDirOf(runsDir: string, runId: string): string {
  return join(runsDir, runId);
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

/*
 * What a directory says about its run. Only a directory that is not there proves anything: one that cannot be read, for
 * want of descriptors say, may hold a living run (O5).
 */
export type ScannedRun =
  | { readonly kind: 'found'; readonly scan: JournalScan }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unreadable'; readonly why: string };

export function scanRun(runDir: string): ScannedRun {
  try {
    return { kind: 'found', scan: scanJournal(runDir) };
  } catch (error) {
    const cause = error instanceof Error ? errnoOf(error.cause) : undefined;
    if (cause === 'ENOENT' || cause === 'ENOTDIR') return { kind: 'absent' };
    return { kind: 'unreadable', why: error instanceof Error ? error.message : String(error) };
  }
}

/* The last sign of life of a run whose shim has died: whatever it wrote last. */
export function lastSeenOf(scan: JournalScan | undefined): number | undefined {
  return scan?.lastFrameUs === undefined ? undefined : Math.floor(scan.lastFrameUs / 1000);
}
