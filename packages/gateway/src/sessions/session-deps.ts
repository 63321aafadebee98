/*
 * What sessions need, from the database and the runs of this machine.
 *
 * A session on this machine stands on nothing but its record, so it is always there. One on an SSH host would stand on a
 * connection; no such session can be started yet, and one that is found all the same has nothing to stand on.
 */
import type { SessionDeps, SessionKeeper, SessionName } from '@clawdfather/sessions';
import type { Store } from '@clawdfather/store';

export const localSessionKeeper: SessionKeeper = {
  adopt: async ({ connectionId }) => (connectionId === undefined ? 'adopted' : 'gone'),
};

export function createSessionDeps({
  store,
  runs,
  news,
  keeper = localSessionKeeper,
}: Pick<SessionDeps, 'runs' | 'news'> & {
  readonly store: Store;
  readonly keeper?: SessionKeeper | undefined;
}): SessionDeps {
  return {
    recordsOf: (accountId) => store.forAccount(accountId).sessions,
    due: store.system.leases,
    closerOf: async ({ accountId, id }: SessionName) => {
      const { auditLog } = store.forAccount(accountId);
      const { entries } = await auditLog.list({ action: 'session.close', target: id, limit: 1 });
      return entries[0]?.actor;
    },
    runs,
    keeper,
    news,
  };
}
