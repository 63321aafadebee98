/*
 * Waiting for a lock that another process holds, without blocking the event loop.
 *
 * A connection that writes has no busy timeout, because SQLite would sleep on the thread of the event loop. An attempt that
 * meets the lock fails at once, and is made again after a pause.
 */
import type { Clock, Random } from '@clawdfather/kit';
import { type DatabaseErrors, sqliteFailureOf } from './failures.ts';
import { busyLimitMs, busyPauseMs, busyPauseMsMax } from './limits.ts';

export interface LockWaiting {
  readonly clock: Clock;
  readonly random: Random;
  readonly errors: DatabaseErrors;
}

/** For opening a database: the change to WAL needs the file for itself, and migrations need the write lock. */
export async function retryWhileLocked<Value>(
  { clock, random, errors }: LockWaiting,
  open: () => Value,
): Promise<Value> {
  const sinceMs = clock.monotonicMs();
  for (let failedAttempts = 0; ; failedAttempts += 1) {
    try {
      return open();
    } catch (error) {
      if (sqliteFailureOf(error) !== 'busy') throw errors.of(error);
    }
    if (clock.monotonicMs() - sinceMs > busyLimitMs) {
      throw errors.busy('its lock did not come free while it was opened');
    }
    await clock.sleep(lockPauseMs(failedAttempts, random));
  }
}

/** Pauses double and are random in part, so that two processes do not keep meeting. */
export function lockPauseMs(failedAttempts: number, random: Random): number {
  const pauseMs = Math.min(busyPauseMs * 2 ** Math.min(failedAttempts, 16), busyPauseMsMax);
  const [chance = 0] = random.bytes(1);
  return pauseMs * (0.5 + chance / 512);
}
