/*
 * Leases whose owner is gone: an earlier generation of ours at once, others' after two minutes of silence.
 *
 * Taking comes first and raises the epoch, so of several gateways one goes on, and the old owner can do nothing more whenever it
 * wakes up. Only then is looked at what the session stands on. Gone: closed with `timeout`, or failed if it never was active.
 */
import type { DueSession, Session } from '@clawdfather/store';
import { logDocumented } from '../observe/log-events.ts';
import { sessionLog } from '../sessions/session-log.ts';
import { closedSessionOf } from '../sessions/session-observer.ts';
import { cleanupAudit, type CleanupDeps } from './cleanup-deps.ts';

const startInterrupted = 'the gateway was lost while it started the session';

export async function adoptOrphans(deps: CleanupDeps): Promise<void> {
  const orphans = await deps.store.system.leases.orphaned(deps.instance.owner());
  for (const orphan of orphans) await adoptOne(deps, orphan);
}

async function adoptOne(deps: CleanupDeps, orphan: DueSession): Promise<void> {
  const { store, instance, keeper, observer, log } = deps;
  const { sessions } = store.forAccount(orphan.accountId);
  const by = instance.owner();
  const taken = await sessions.take({
    id: orphan.id,
    by,
    audit: cleanupAudit('session.adopt', { from: orphan.ownerInstanceId, to: by.instanceId }),
  });
  // Somebody else was faster, or it has ended.
  if (taken.outcome !== 'changed') return;
  const { session } = taken;
  const isThere = session.status === 'active' && (await keeper.adopt(session)) === 'adopted';
  if (!isThere) {
    await giveUp(deps, { ...session, accountId: orphan.accountId });
    return;
  }
  observer.adopted();
  sessionLog(log, orphan).event('session.adopted', {
    epoch: session.epoch,
    from: orphan.ownerInstanceId,
  });
}

async function giveUp(
  { store, clock, log, observer, sessionObserver }: CleanupDeps,
  lost: Session & Pick<DueSession, 'accountId'>,
): Promise<void> {
  const { accountId, id, epoch, status } = lost;
  const { sessions } = store.forAccount(accountId);
  const fence = { id, epoch };
  if (status === 'pending') {
    const failed = await sessions.fail({
      ...fence,
      errorCode: 'start_interrupted',
      errorMessage: startInterrupted,
      audit: cleanupAudit('session.error'),
    });
    if (failed.outcome !== 'changed') return;
    sessionObserver.failed('runtime');
    const detail = { error_type: 'runtime', error: startInterrupted } as const;
    logDocumented(sessionLog(log, lost), 'session.error', detail);
  } else {
    const closed = await sessions.close({
      ...fence,
      reason: 'timeout',
      audit: cleanupAudit('session.timeout', { why: 'orphaned' }),
    });
    if (closed.outcome !== 'changed') return;
    sessionObserver.closed(closedSessionOf(accountId, closed.session));
    logDocumented(sessionLog(log, lost), 'session.timeout', {
      idle_ms: clock.wallMs() - lost.clientHeartbeatAtMs,
    });
  }
  observer.orphanCleaned();
}
