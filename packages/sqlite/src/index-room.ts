/*
 * Room for the index (`-shm`) of a database with a write-ahead log.
 *
 * SQLite makes that file long, writes one byte to each page of memory in it, and maps it. Where blocks are smaller than pages, as
 * on a small ext4, that takes a part of each page only. The first write to the rest finds no room on a full disk, and the kernel
 * ends the process with SIGBUS, which nobody can catch. So the room is looked for before SQLite is asked.
 *
 * Between the look and the write another process may take the room. What was set aside earlier would not help: whoever
 * opens the database first cuts the file to three bytes.
 */
import { statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { fullError } from './failures.ts';
import { indexRegionBytes, pagesInFirstRegion, pagesPerRegion } from './limits.ts';

/* Of `st_blocks`, whatever the file system's are. */
const statBlockBytes = 512;
/* A page of the log at its smallest, as all of ours are, with its header. */
const logPageBytes = 4_096 + 24;

/** Throws as SQLite does on a full disk. */
export function refuseWithoutIndexRoom(file: string): void {
  const missing = indexBytesOf(file) - allocatedBytesOf(`${file}-shm`);
  if (missing <= 0) return;
  const { bavail, bsize } = statfsSync(dirname(file));
  // The log grows too, so a second region's worth is asked for.
  if (bavail * bsize >= missing + indexRegionBytes) return;
  throw fullError(`no room for the index of ${file}`);
}

function indexBytesOf(file: string): number {
  const logBytes = statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  const further = Math.max(0, Math.ceil(logBytes / logPageBytes) - pagesInFirstRegion);
  return indexRegionBytes * (1 + Math.ceil(further / pagesPerRegion));
}

function allocatedBytesOf(path: string): number {
  return (statSync(path, { throwIfNoEntry: false })?.blocks ?? 0) * statBlockBytes;
}
