/*
 * Which turn may run next: first come, first served, as long as not too many run. A look reads the queue from the database, so it does
 * not matter which gateway has taken a turn in, or whether one was lost in between.
 */
import type { DueThreads, ThreadName } from '@clawdfather/agents';
import type { Clock, Log, Timer } from '@clawdfather/kit';
import type { ThreadsObserver } from './observer.ts';

export interface Admission {
  /* Something has changed. */
  look(): void;
  close(): Promise<void>;
}

export interface AdmissionDeps {
  readonly due: DueThreads;
  readonly activeMax: number;
  readonly log: Log;
  readonly clock: Pick<Clock, 'timer'>;
  readonly observer: Pick<ThreadsObserver, 'apart'>;
  /* False: it has none to admit now. */
  readonly admit: (thread: ThreadName) => Promise<boolean>;
}

/* After a look that failed: nobody else may tell that turns wait. */
const retryMs = 1_000;

export function createAdmission(deps: AdmissionDeps): Admission {
  const { due, activeMax, log, clock, observer, admit } = deps;
  let isWanted = false;
  let isClosed = false;
  let looking: Promise<void> | undefined;
  let retry: Timer | undefined;
  const lookOnce = async (): Promise<void> => {
    let room = activeMax - (await due.runningTurns());
    for (const thread of await due.withTurns()) {
      if (room <= 0 || isClosed) return;
      if (await admit(thread)) room -= 1;
    }
  };
  const loop = async (): Promise<void> => {
    while (isWanted && !isClosed) {
      isWanted = false;
      await lookOnce().catch((error: unknown) => {
        if (isClosed) return;
        log.warn('thread.admission-failed', { error });
        retry?.cancel();
        retry = clock.timer(retryMs, look);
        retry.unref();
      });
    }
  };
  const look = (): void => {
    isWanted = true;
    if (isClosed) return;
    looking ??= observer.apart(loop).finally(() => {
      looking = undefined;
      // It may have been wanted after the loop had ended.
      if (isWanted) look();
    });
  };
  return {
    look,
    close: async () => {
      isClosed = true;
      retry?.cancel();
      await looking;
    },
  };
}
