/*
 * Puts the names in a directory on the disk. A file that was synced and renamed is there after a power cut only when this was done, too.
 */
import { open } from 'node:fs/promises';

export async function syncDirectory(path: string): Promise<void> {
  await using directory = await open(path, 'r');
  await directory.sync();
}
