/*
 * Which turn may run next: first come, first served, as long as not too many run. A look reads the queue from the database, so it does
 * not matter which gateway has taken a turn in, or whether one was lost in between.
 */
import type { DueThreads, ThreadName } from '@clawdfather/agents';
import type { Log } from '@clawdfather/kit';
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
  readonly observer: Pick<ThreadsObserver, 'apart'>;
  /* False: it has none to admit now. */
  readonly admit: (thread: ThreadName) => Promise<boolean>;
}

export function createAdmission(deps: AdmissionDeps): Admission {
  const { due, activeMax, log, observer, admit } = deps;
  let isWanted = false;
  let isClosed = false;
  let looking: Promise<void> | undefined;
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
        if (!isClosed) log.warn('thread.admission-failed', { error });
      });
    }
  };
  return {
    look: () => {
      isWanted = true;
      if (isClosed) return;
      looking ??= observer.apart(loop).finally(() => {
        looking = undefined;
      });
    },
    close: async () => {
      isClosed = true;
      await looking;
    },
  };
}
