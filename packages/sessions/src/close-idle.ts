/*
 * Closes sessions that no client wants any more: none was there for the account's idle timeout and five minutes of grace, and no
 * command is under way. A client that comes back meanwhile finds its session open: the heartbeat that was decided on is compared
 * in the transaction that closes.
 */
import { changeSession } from './change-session.ts';
import { cleanupAsker } from './cleanup-asker.ts';
import { idleGraceMs, ownerStaleMs } from './limits.ts';
import type { SessionDeps } from './ports.ts';
import type { Owner } from './session.ts';

export async function closeIdle(deps: SessionDeps, owner: Owner): Promise<void> {
  for (const session of await deps.due.idle(owner, { ownerStaleMs, idleGraceMs })) {
    if (deps.runs.isBusy(session)) continue;
    const { epoch, clientHeartbeatAtMs: seenAtMs } = session;
    const event = { type: 'idle', epoch, seenAtMs } as const;
    const done = await changeSession(deps, session, { event, by: cleanupAsker });
    if (done.outcome === 'changed') await deps.runs.end(session, cleanupAsker.actor);
  }
}
