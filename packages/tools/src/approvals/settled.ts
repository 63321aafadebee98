/*
 * Waiting for a decision, made in any process, or for the time to be over.
 *
 * Woken by the store (a commit in the database), not by a clock; the one timer is the approval's own end. That timer counts
 * this process's time and the store another clock of the same kind, so it may come a moment early: then it is set again.
 */
import type { Clock, Timer } from '@clawdfather/kit';
import type { ApprovalStore } from '@clawdfather/supervisor';
import { momentOf, summaryOfStored } from './approval-record.ts';
import type { ApprovalSummary } from './gatekeeper.ts';

export interface SettledWait {
  readonly store: ApprovalStore;
  readonly clock: Clock;
  readonly approvalId: string;
  readonly signal: AbortSignal;
}

/* Rejects with the signal's reason; with a RangeError for an unknown id. */
export async function waitSettled(wait: SettledWait): Promise<ApprovalSummary> {
  const { store, clock, approvalId, signal } = wait;
  const { promise, resolve, reject } = Promise.withResolvers<ApprovalSummary>();
  let timer: Timer | undefined;
  const look = (): void => {
    timer?.cancel();
    try {
      const moment = momentOf(store.host, clock);
      const stored = store.approval(approvalId, moment);
      if (stored === undefined) throw new RangeError(`no approval ${approvalId} is known`);
      const summary = summaryOfStored(stored);
      if (summary.state !== 'pending') return resolve(summary);
      const leftMs =
        stored.bootId === moment.bootId
          ? stored.lapsesBootMs - moment.bootMs
          : stored.expiresAtMs - moment.wallMs;
      timer = clock.timer(Math.max(1, leftMs), look);
    } catch (error) {
      reject(error);
    }
  };
  const onAbort = (): void => reject(signal.reason);
  signal.throwIfAborted();
  signal.addEventListener('abort', onAbort, { once: true });
  // Watch first, then look: what is decided in between is seen by one of the two.
  const stop = store.watch(look);
  try {
    look();
    return await promise;
  } finally {
    stop();
    timer?.cancel();
    signal.removeEventListener('abort', onAbort);
  }
}
