/*
 * Keeps sessions open that have a command under way on this machine: a running command counts as a client's heartbeat, also when
 * another gateway owns the session. So a phone in a pocket never ends work.
 *
 * A command whose session was closed on purpose ends here, if the gateway that closed it could not do so: it died first, or runs on
 * another machine. It ends in the name of the one who closed the session, so a token ends no person's command this way either. A
 * session that ran out of time was not closed on purpose: the gateway that closed it saw no work, so it did not see this command,
 * which is left alone.
 */
import { cleanupAsker } from './cleanup-asker.ts';
import type { SessionDeps } from './ports.ts';
import type { CloseReason, WishedReason } from './session.ts';

/* For a close whose audit entry is gone: a token may have closed it, and a token has the fewest rights. */
const unknownCloser = 'token:unknown';

const onPurpose: Readonly<Record<WishedReason, true>> = {
  user: true,
  server_closed: true,
  key_revoked: true,
};

export async function keepBusySessions(deps: SessionDeps): Promise<void> {
  const { recordsOf, runs, closerOf } = deps;
  for (const name of runs.busy()) {
    const records = recordsOf(name.accountId);
    const session = await records.get(name.id);
    if (session === undefined) continue;
    if (session.endedAtMs === undefined) await records.clientSeen(name.id);
    else if (wasWished(session.closeReason)) {
      await runs.end(name, cleanupAsker.actor, (await closerOf(name)) ?? unknownCloser);
    }
  }
}

function wasWished(reason: CloseReason | undefined): boolean {
  return reason !== undefined && reason in onPurpose;
}
