/*
 * A small private file that is there as a whole or as it was before: it is written under a temporary name and renamed. A disk that
 * refuses it keeps nothing of it.
 */
import { renameSync, rmSync, writeFileSync } from 'node:fs';

export function writeByRename(path: string, text: string, pid: number): void {
  const draft = `${path}.${pid}`;
  try {
    writeFileSync(draft, text, { mode: 0o600 });
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    // The kernel names no path for bytes that it refuses.
    throw error instanceof Error ? Object.assign(error, { path }) : error;
  }
}
