/*
 * No request takes longer than 30 s (document 000, application timeouts), streams and long polls apart.
 *
 * A timer per request would be made and thrown away thousands of times a second for something that hardly ever happens. So
 * requests stand in a row in the order in which they came, and one timer looks at the front.
 */
import type { Clock, Timer } from '@clawdfather/kit';

export interface Waiting {
  readonly sinceMs: number;
  readonly onLate: () => void;
}

export interface TimeLimit {
  /* `onLate` is called once, unless `end` comes first. Requests are started in the order of their times. */
  start(waiting: Waiting): void;
  end(waiting: Waiting): void;
  close(): void;
}

const requestMsMax = 30_000;
/* Late by at most this; nobody counts. */
const lookEveryMs = 1_000;

export function createTimeLimit(clock: Clock): TimeLimit {
  const row = new Set<Waiting>();
  let timer: Timer | undefined;

  const look = (): void => {
    timer = undefined;
    const nowMs = clock.monotonicMs();
    for (const waiting of row) {
      if (nowMs - waiting.sinceMs < requestMsMax) break;
      row.delete(waiting);
      waiting.onLate();
    }
    arm();
  };

  const arm = (): void => {
    if (timer !== undefined || row.size === 0) return;
    timer = clock.timer(lookEveryMs, look);
    timer.unref();
  };

  return {
    start: (waiting) => {
      row.add(waiting);
      arm();
    },
    end: (waiting) => void row.delete(waiting),
    close: () => {
      timer?.cancel();
      row.clear();
    },
  };
}
