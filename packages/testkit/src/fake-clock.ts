/*
 * A clock that moves only when told to.
 *
 * `advance` fires what is due in order of time, then of creation, and lets
 * the promises that hang on each timer run before the next one fires: code
 * under test sees the same order as under a real clock, only faster.
 * Wall time and monotonic time can be moved apart, as a real clock may jump.
 */
import { type Clock, sleepWith, type Timer } from '@clawdfather/kit';

export interface FakeClock extends Clock {
  /* Moves both clocks forward and fires what becomes due. */
  advance(ms: number): Promise<void>;
  /* Sets the wall clock alone: somebody changed the date. */
  jumpWall(toMs: number): void;
  /* Timers that have neither fired nor been cancelled. */
  readonly pendingTimers: number;
}

interface PendingTimer {
  readonly dueMs: number;
  readonly fire: () => void;
}

export function createFakeClock(startWallMs = 1_700_000_000_000): FakeClock {
  const pending = new Set<PendingTimer>();
  let nowMs = 0;
  let wallOffsetMs = startWallMs;

  const timer = (ms: number, fire: () => void): Timer => {
    const entry = { dueMs: nowMs + Math.max(0, ms), fire };
    pending.add(entry);
    return { cancel: () => void pending.delete(entry), unref: () => {} };
  };

  return {
    wallMs: () => wallOffsetMs + nowMs,
    monotonicMs: () => nowMs,
    sleep: (ms, signal) => sleepWith(timer, ms, signal),
    timer,
    advance: async (ms) => {
      const untilMs = nowMs + ms;
      await letPromisesRun();
      for (let next = earliest(pending); next !== undefined && next.dueMs <= untilMs; ) {
        nowMs = next.dueMs;
        pending.delete(next);
        next.fire();
        await letPromisesRun();
        next = earliest(pending);
      }
      nowMs = untilMs;
    },
    jumpWall: (toMs) => {
      wallOffsetMs = toMs - nowMs;
    },
    get pendingTimers() {
      return pending.size;
    },
  };
}

/* A set keeps the order of insertion, so the first of equals is the oldest. */
function earliest(pending: ReadonlySet<PendingTimer>): PendingTimer | undefined {
  let first: PendingTimer | undefined;
  for (const entry of pending) {
    if (first === undefined || entry.dueMs < first.dueMs) first = entry;
  }
  return first;
}

/* A turn of the event loop drains the whole queue of promise reactions. */
function letPromisesRun(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
