/*
 * Looks at the registry of this machine whenever it may have changed, and again after a while when that failed. One look at a time: what
 * comes meanwhile is looked at afterwards.
 */
import type { Clock, Timer } from '@clawdfather/kit';

export interface Follower extends AsyncDisposable {
  look(): void;
}

export interface FollowerInput {
  readonly clock: Clock;
  /* Writes what has to be written. It may be asked to do so again at any time. */
  readonly work: () => Promise<void>;
  readonly onFailed: (error: unknown) => void;
  /* How often it looks at what changes by time alone. */
  readonly everyMs: number;
}

/* A full disk is not cleared faster. */
const againMs = 5_000;

export function createFollower({ clock, work, onFailed, everyMs }: FollowerInput): Follower {
  let isDue = false;
  let isClosed = false;
  let looking: Promise<void> | undefined;
  let next: Timer | undefined;

  async function lookWhileDue(): Promise<void> {
    let pauseMs = everyMs;
    while (isDue && !isClosed) {
      isDue = false;
      try {
        await work();
        pauseMs = everyMs;
      } catch (error) {
        if (isClosed) return;
        onFailed(error);
        pauseMs = againMs;
      }
    }
    next?.cancel();
    if (isClosed) return;
    next = clock.timer(pauseMs, look);
    next.unref();
  }

  function look(): void {
    if (isClosed) return;
    isDue = true;
    looking ??= lookWhileDue().finally(() => {
      looking = undefined;
      // Asked for in the moment between its last look and its end.
      if (isDue) look();
    });
  }

  return {
    look,
    [Symbol.asyncDispose]: async () => {
      isClosed = true;
      next?.cancel();
      await looking;
    },
  };
}
