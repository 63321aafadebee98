/*
 * Waits until something is true of the files in a directory, woken by the kernel and never by time. The watch stands before
 * the first look, so that no change falls between them.
 *
 * A process that waits holds one inotify instance; Linux grants a user 128 of them by default.
 */
import { watch } from 'node:fs';

export async function untilDirectory(
  directory: string,
  isReady: () => boolean,
  signal: AbortSignal,
): Promise<void> {
  if (isReady()) return;
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const look = (): void => {
    try {
      if (isReady()) resolve();
    } catch (error) {
      reject(error);
    }
  };
  /* What became true before the signal counts, although the kernel's word of it may come later. */
  const abort = (): void => {
    look();
    reject(signal.reason as Error);
  };
  signal.addEventListener('abort', abort, { once: true });
  const watcher = watch(directory, look);
  watcher.once('error', reject);
  try {
    look();
    await promise;
  } finally {
    watcher.close();
    signal.removeEventListener('abort', abort);
  }
}
