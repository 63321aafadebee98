/*
 * A real clock that a test can make run faster for a while. It starts as an ordinary one, so that what is only set up has all its time;
 * `hurry` is for the step whose limit is to run out. Its monotonic time has no jumps, and timers that are pending follow the pace.
 */
import { type Clock, createSystemClock, sleepWith, type Timer } from '@clawdfather/kit';

export interface HurryingClock extends Clock {
  /** From now on a second is `factor` of them; 1: an ordinary clock again. */
  hurry(factor: number): void;
}

interface Pending {
  readonly dueMs: number;
  arm(leftMs: number): void;
}

export function createHurryingClock(): HurryingClock {
  const real = createSystemClock();
  const aheadMs = real.wallMs() - real.monotonicMs();
  const pending = new Set<Pending>();
  let pace = { factor: 1, realMs: real.monotonicMs(), ms: real.monotonicMs() };

  const monotonicMs = (): number => pace.ms + (real.monotonicMs() - pace.realMs) * pace.factor;

  const timer: Clock['timer'] = (ms, fire) => {
    let isReferenced = true;
    let handle: Timer | undefined;
    const entry: Pending = {
      dueMs: monotonicMs() + ms,
      arm: (leftMs) => {
        handle?.cancel();
        handle = real.timer(Math.ceil(leftMs / pace.factor), () => {
          pending.delete(entry);
          fire();
        });
        if (!isReferenced) handle.unref();
      },
    };
    pending.add(entry);
    entry.arm(ms);
    return {
      cancel: () => {
        pending.delete(entry);
        handle?.cancel();
      },
      unref: () => {
        isReferenced = false;
        handle?.unref();
      },
    };
  };

  return {
    wallMs: () => Math.floor(monotonicMs() + aheadMs),
    monotonicMs,
    sleep: (ms, signal) => sleepWith(timer, ms, signal),
    timer,
    hurry: (factor) => {
      pace = { factor, realMs: real.monotonicMs(), ms: monotonicMs() };
      // Those that are due first are armed first: what would round to the same millisecond keeps its order.
      for (const entry of [...pending].sort((one, other) => one.dueMs - other.dueMs))
        entry.arm(entry.dueMs - pace.ms);
    },
  };
}
