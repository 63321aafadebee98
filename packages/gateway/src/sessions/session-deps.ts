/*
 * What sessions need, from the database and the runs of this machine.
 *
 * A session on this machine needs nothing but its record, so it can always be adopted. One on an SSH host needs its connection
 * (open-hosts.ts); where there are no hosts, such a session is lost.
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
