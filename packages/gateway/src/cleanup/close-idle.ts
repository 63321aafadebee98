/*
 * Sessions that nobody wants any more: no client for the account's idle timeout and five minutes of grace, and no
 * command under way. What is decided on is read again in the transaction that closes: a client that comes back in between
 * finds its session open.
 */
import type { DueSession, Session } from '@clawdfather/store';
import { logDocumented } from '../observe/log-events.ts';
import { sessionLog } from '../sessions/session-log.ts';
import { closedSessionOf } from '../sessions/session-observer.ts';
import { cleanupActor, cleanupAudit, type CleanupDeps } from './cleanup-deps.ts';

export async function closeIdle(deps: CleanupDeps): Promise<void> {
  const { store, clock, instance, runs, sessionObserver, log } = deps;
  for (const due of await store.system.leases.idle(instance.owner())) {
    if (runs.isBusy(due)) continue;
    const closed = await closeUnlessSeen(deps, due);
    if (closed === undefined) continue;
    sessionObserver.closed(closedSessionOf(due.accountId, closed));
    logDocumented(sessionLog(log, due), 'session.timeout', {
      idle_ms: clock.wallMs() - due.clientHeartbeatAtMs,
    });
    await runs.end(due, cleanupActor);
  }
}

async function closeUnlessSeen(
  { store }: CleanupDeps,
  { accountId, id, epoch, clientHeartbeatAtMs }: DueSession,
): Promise<Session | undefined> {
  return await store.forAccount(accountId).transaction(async ({ sessions }) => {
    const now = await sessions.get(id);
    if (now?.clientHeartbeatAtMs !== clientHeartbeatAtMs) return undefined;
    const step = await sessions.close({
      id,
      epoch,
      reason: 'timeout',
      audit: cleanupAudit('session.timeout', { why: 'idle' }),
    });
    return step.outcome === 'changed' ? step.session : undefined;
  });
}
