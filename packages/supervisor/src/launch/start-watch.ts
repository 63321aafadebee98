/*
 * Runs that were asked for and have not answered (S2): a spawnd that is stopped, or a request lost with it.
 *
 * One timer for all of them. After the shim's own limit and a margin the intent is voided: if that succeeds, nothing
 * was started and nothing will be (S1). If a shim has claimed it, its own clock is in charge.
 */
import type { Clock, Timer } from '@clawdfather/kit';
import { claimMarginMs, startLookMs, startMs } from '../limits.ts';

export interface StartWatch<Run> {
  add(run: Run): void;
  remove(run: Run): void;
  close(): void;
}

export function createStartWatch<Run>(
  clock: Clock,
  onOverdue: (run: Run) => void,
): StartWatch<Run> {
  const dueAt = new Map<Run, number>();
  let timer: Timer | undefined;

  const look = (): void => {
    timer = undefined;
    const nowMs = clock.monotonicMs();
    for (const [run, atMs] of dueAt) {
      if (atMs > nowMs) break; /* in order of their beginning */
      dueAt.delete(run);
      onOverdue(run);
    }
    arm();
  };
  const arm = (): void => {
    if (timer !== undefined || dueAt.size === 0) return;
    timer = clock.timer(startLookMs, look);
    timer.unref();
  };

  return {
    add: (run) => {
      dueAt.set(run, clock.monotonicMs() + startMs + claimMarginMs);
      arm();
    },
    remove: (run) => void dueAt.delete(run),
    close: () => {
      timer?.cancel();
      dueAt.clear();
    },
  };
}
