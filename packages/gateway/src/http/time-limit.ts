/*
 * No request takes longer than 30 s, except streams and long polls.
 *
 * A timer per request would be made and removed thousands of times a second, and hardly ever fire. So requests are kept in a list
 * in the order in which they came, and one timer checks its front. The list is linked, because most requests leave it within a
 * millisecond, which is slow with a set.
 */
import type { Clock, Timer } from '@clawdfather/kit';

/* A link of the ring, alone at first. */
export class Waiting {
  readonly sinceMs: number;
  readonly onLate: () => void;
  before: Waiting = this;
  after: Waiting = this;

  constructor(sinceMs: number, onLate: () => void) {
    this.sinceMs = sinceMs;
    this.onLate = onLate;
  }

  /* Stands before the first and after the last of a row: its end is where one comes in. */
  letIn(last: Waiting): void {
    last.before = this.before;
    last.after = this;
    this.before.after = last;
    this.before = last;
  }

  leave(): void {
    this.before.after = this.after;
    this.after.before = this.before;
    this.before = this;
    this.after = this;
  }
}

export interface TimeLimit {
  /* `onLate` is called once, unless `end` comes first. Requests are started in the order of their times. */
  start(sinceMs: number, onLate: () => void): Waiting;
  /* Also when it was late already. */
  end(waiting: Waiting): void;
  close(): void;
}

const requestMsMax = 30_000;
/* A request may be ended this much too late, which does no harm. */
const lookEveryMs = 1_000;

export function createTimeLimit(clock: Clock): TimeLimit {
  const row = new Waiting(Number.POSITIVE_INFINITY, () => {});
  let timer: Timer | undefined;

  const look = (): void => {
    timer = undefined;
    const nowMs = clock.monotonicMs();
    while (row.after !== row && nowMs - row.after.sinceMs >= requestMsMax) {
      const late = row.after;
      late.leave();
      late.onLate();
    }
    arm();
  };

  const arm = (): void => {
    if (timer !== undefined || row.after === row) return;
    timer = clock.timer(lookEveryMs, look);
    timer.unref();
  };

  return {
    start: (sinceMs, onLate) => {
      const waiting = new Waiting(sinceMs, onLate);
      row.letIn(waiting);
      arm();
      return waiting;
    },
    end: (waiting) => waiting.leave(),
    close: () => {
      timer?.cancel();
      while (row.after !== row) row.after.leave();
    },
  };
}
