/*
 * What waits for a decision on this machine. It is in the registry beside the runs and is none of them; whoever names one is told what
 * it is.
 */
import type { ApprovalStore } from '@clawdfather/supervisor';
import type { CommandContext } from '../command.ts';
import type { HeldRequests } from './place.ts';

const unstarted = ['pending', 'allowed', 'denied', 'expired', 'changed'] as const;

export function createHeldHere({
  config,
  clock,
}: Pick<CommandContext, 'config' | 'clock'>): HeldRequests {
  const look = async <Value>(
    use: (store: ApprovalStore, now: Parameters<ApprovalStore['approval']>[1]) => Value,
  ): Promise<Value | undefined> => {
    const { openApprovals } = await import('@clawdfather/supervisor');
    // Nothing can be said of it then; the command itself says what is wrong.
    const store = await openApprovals({ stateDir: config.stateDir, clock }).catch(() => undefined);
    if (store === undefined) return undefined;
    try {
      const { bootId } = store.host;
      return use(store, { bootId, bootMs: store.host.bootMs(), wallMs: clock.wallMs() });
    } finally {
      await store.close();
    }
  };
  return {
    find: (runIdPrefix) =>
      look((store, now) => {
        const found = store.approvals({ states: unstarted, runIdPrefix, limit: 2 }, now);
        const [one, ...others] = found;
        if (one === undefined || others.length > 0) return undefined;
        const { runId, approvalId, changed, askedAgainAs } = one;
        const state = one.isLapsed ? 'expired' : one.state;
        return state === 'started'
          ? undefined
          : { runId, approvalId, state, changed, askedAgainAs };
      }),
    count: async () =>
      (await look((store, now) => store.countApprovals({ states: ['pending'] }, now))) ?? 0,
  };
}
