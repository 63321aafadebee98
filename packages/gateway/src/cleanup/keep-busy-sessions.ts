/*
 * Sessions with a command under way on this host: work counts as a client's heartbeat, whoever owns the lease. A phone in a
 * pocket never ends work.
 *
 * A command whose session was closed on purpose ends here, if whoever closed it could not do so: it died first, or has another
 * host. A session that ran out of time is no such purpose: whoever closed it saw no work, so it did not see this, and what is in
 * doubt is left alone.
 */
import type { CloseReason } from '@clawdfather/store';
import { cleanupActor, type CleanupDeps } from './cleanup-deps.ts';

const onPurpose: readonly (CloseReason | undefined)[] = ['user', 'server_closed', 'key_revoked'];

export async function keepBusySessions({ store, runs }: CleanupDeps): Promise<void> {
  for (const name of runs.busy()) {
    const { sessions } = store.forAccount(name.accountId);
    const session = await sessions.get(name.id);
    if (session === undefined) continue;
    if (session.endedAtMs === undefined) await sessions.clientSeen(name.id);
    else if (onPurpose.includes(session.closeReason)) await runs.end(name, cleanupActor);
  }
}
