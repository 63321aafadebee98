/*
 * E1: as process 1 of a container the gateway runs itself again under a small init. The kernel hands orphans to process 1, and
 * Node reaps only what it started itself: they would stay as zombies until the container ends.
 *
 * This process becomes the init, with the pid and the descriptors that it has; its child is we again, and sees that it is not
 * process 1 any more.
 */
import { shimBinaryPath } from '@clawdfather/supervisor';

export function rerunUnderInit(umask: number): void {
  if (process.pid !== 1) return;
  // What we are started with, which our child takes to be its caller's.
  process.umask(umask);
  const path = shimBinaryPath();
  const self = [process.execPath, ...process.execArgv, ...process.argv.slice(1)];
  // Absent only where there are no such processes: Windows.
  process.execve?.(path, [path, 'init', ...self], process.env);
}
