/*
 * The revoking of a key, joined to the records of keys and sessions. The key and its open sessions are ended in one transaction: should this
 * process die right after it, the masters and commands of those sessions are strays of closed sessions, which every gateway ends at its
 * start and with each turn of the clean-up (end-strays.ts, keep-busy-sessions.ts).
 */
import {
  type Asker,
  changeSession,
  createNewsDesk,
  type EndedSession,
} from '@clawdfather/sessions';
import { type KeyRevocation, nextConnectionKeys as nextKeys } from '@clawdfather/ssh';
import type { AccountId, AuditEntry, Store } from '@clawdfather/store';
import type { Sessions } from './sessions.ts';
import { sessionsOnKey } from './sessions-on-key.ts';

export interface RevocationParts {
  readonly store: Store;
  readonly sessions: Pick<Sessions, 'checkMayClose' | 'endClosed'>;
}

export interface Revoker {
  readonly accountId: AccountId;
  readonly audit: AuditEntry;
  readonly by: Asker;
}

export function createRevocation(
  { store, sessions }: RevocationParts,
  { accountId, audit, by }: Revoker,
): KeyRevocation {
  const namesOf = (ids: readonly string[]) => ids.map((id) => ({ accountId, id }));
  let closed: readonly EndedSession[] = [];
  return {
    inTransaction: (work) =>
      store.forAccount(accountId).transaction((queries) =>
        work({
          sealedOf: (id) => queries.keypairs.sealedOf(id),
          rewrap: (input) => queries.keypairs.rewrap(input),
          revoke: (id, isForced) => queries.keypairs.revoke({ id, isForced, nextKeys, audit }),
          sessionsUsing: (id) => sessionsOnKey(queries, id),
          closeSessions: async (ids) => {
            // It may run more than once; the last one counts.
            const told: EndedSession[] = [];
            const records = {
              recordsOf: () => queries.sessions,
              news: createNewsDesk((each) => {
                if (each.type === 'ended') told.push(each.session);
              }),
            };
            const event = { type: 'closed', reason: 'key_revoked' } as const;
            for (const name of namesOf(ids)) await changeSession(records, name, { event, by });
            closed = told;
          },
        }),
      ),
    checkMayClose: (ids) => sessions.checkMayClose(namesOf(ids), by.actor),
    endClosed: () => sessions.endClosed(closed, by.actor),
  };
}
