/*
 * What a session stands on, as the clean-up sees it: after a lease was taken over, is it still there?
 *
 * A session on this machine stands on nothing but its lease. One on an SSH host stands on a control master, which `ssh` will
 * verify; until then none can have been started, and one that is found all the same has nothing to stand on.
 */
import type { Session } from '@clawdfather/store';

export interface SessionKeeper {
  /* The lease is ours already, with a raised epoch. */
  adopt(session: Session): Promise<'adopted' | 'gone'>;
}

export const localSessionKeeper: SessionKeeper = {
  adopt: async ({ connectionId }) => (connectionId === undefined ? 'adopted' : 'gone'),
};
