/*
 * Sessions with a command under way on this host: work counts as a client's heartbeat, whoever owns the lease. A phone in a
 * pocket never ends work.
 *
 * A command whose session was closed on purpose ends here, if the gateway that closed it could not do so: it died first, or has
 * another host. It ends in the name of the one who closed the session, so a token ends no person's command this way either. A
 * session that ran out of time is no such purpose: the gateway that closed it saw no work, so it did not see this, and what is in
 * doubt is left alone.
 */
import type { CloseReason, Store } from '@clawdfather/store';
import type { SessionName } from '../sessions/session-runs.ts';
import { cleanupActor, type CleanupDeps } from './cleanup-deps.ts';

/* It may have been a token, which may end least. */
const unknownCloser = 'token:unknown';

const onPurpose: readonly (CloseReason | undefined)[] = ['user', 'server_closed', 'key_revoked'];

export async function keepBusySessions({ store, runs }: CleanupDeps): Promise<void> {
  for (const name of runs.busy()) {
    const { sessions } = store.forAccount(name.accountId);
    const session = await sessions.get(name.id);
    if (session === undefined) continue;
    if (session.endedAtMs === undefined) await sessions.clientSeen(name.id);
    else if (onPurpose.includes(session.closeReason)) {
      await runs.end(name, cleanupActor, await closerOf(store, name));
    }
  }
}

/* What ends is what the one who closed it may end. An entry that is no longer kept leaves that in doubt. */
async function closerOf(store: Store, { accountId, id }: SessionName): Promise<string> {
  const { auditLog } = store.forAccount(accountId);
  const { entries } = await auditLog.list({ action: 'session.close', target: id, limit: 1 });
  return entries[0]?.actor ?? unknownCloser;
}
