/*
 * Makes the empty run directory, the intent (S1).
 *
 * On a healthy disk a directory costs some twenty microseconds, less than handing the work to Node's pool and being woken again
 * when it is done; so it is made in place. ext4 looks for a free inode among those deleted within the last minutes, and after
 * a large deletion needs ten times as long; other disks have moods of their own. Several slow ones in a row, and directories are
 * made beside the event loop for a while. A single slow one is not enough: the kernel may have run another process in between.
 */
import { mkdir, mkdirSync } from 'node:fs';
import { promisify } from 'node:util';
import { type Clock, hasErrno } from '@clawdfather/kit';
import { intentBesideMs, intentSlowMs, intentsSlowMax } from '../../limits.ts';

/*
 * True when it was made. One that is there already (false) is fine: the shim finds out whether it may claim it.
 */
export type MakeIntent = (runDir: string) => Promise<boolean>;

export interface MakeDirectory {
  inPlace(path: string): void;
  beside(path: string): Promise<unknown>;
}

const mode = 0o700;
const mkdirBeside = promisify(mkdir);
const onDisk: MakeDirectory = {
  inPlace: (path) => mkdirSync(path, mode),
  beside: (path) => mkdirBeside(path, mode),
};

export function createMakeIntent(
  clock: Pick<Clock, 'monotonicMs'>,
  make: MakeDirectory = onDisk,
): MakeIntent {
  let slowInARow = 0;
  let besideUntilMs = Number.NEGATIVE_INFINITY;

  const makeInPlace = (runDir: string, startedMs: number): void => {
    try {
      make.inPlace(runDir);
    } finally {
      const endedMs = clock.monotonicMs();
      slowInARow = endedMs - startedMs > intentSlowMs ? slowInARow + 1 : 0;
      if (slowInARow >= intentsSlowMax) {
        slowInARow = 0;
        besideUntilMs = endedMs + intentBesideMs;
      }
    }
  };

  return async (runDir) => {
    const nowMs = clock.monotonicMs();
    try {
      if (nowMs < besideUntilMs) await make.beside(runDir);
      else makeInPlace(runDir, nowMs);
      return true;
    } catch (error) {
      if (hasErrno(error, 'EEXIST')) return false;
      throw error;
    }
  };
}
