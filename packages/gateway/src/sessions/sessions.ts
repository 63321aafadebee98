/*
 * What the rest of the gateway asks of sessions: is it open, a client wants it, end it.
 *
 * A close ends what runs in the session, so it is open to those who may end that (runs/may-end.ts), which is looked at first.
 * The lease is closed first and its runs are ended after it, so that nothing new can start in between. If we die in between,
 * the clean-up of whichever gateway has the runs ends them.
 */
import type { Log } from '@clawdfather/kit';
import type { AccountId, AuditEntry, CloseReason, Session, Store } from '@clawdfather/store';
import { ApiError, notFound } from '../http/api-error.ts';
import { logDocumented } from '../observe/log-events.ts';
import type { ClientBeats } from './client-beats.ts';
import type { Instance } from './instance.ts';
import { sessionLog } from './session-log.ts';
import { type ClosedSession, closedSessionOf, type SessionObserver } from './session-observer.ts';
import type { SessionName, SessionRuns } from './session-runs.ts';

export interface Sessions extends ClientBeats {
  /* For a call that wants to do something in it; counts as a heartbeat. Throws `not_found`, or `expired` for one that is over. */
  assertOpen(accountId: AccountId, sessionId: string): Promise<Session>;
  /*
   * Closing twice is harmless. `undefined`: there is no such session. Throws `forbidden`, and has closed nothing, when something
   * runs in it that this actor may not end.
   */
  close(accountId: AccountId, sessionId: string, end: SessionEnd): Promise<Session | undefined>;
  /* Called for every session that this gateway closes, until the returned function is. Other gateways' closes show in the row. */
  onClosed(listener: (end: ClosedSession) => void): () => void;
  /* Throws `forbidden` as `close` does, for a caller with more to do than closing them. */
  checkMayClose(sessions: readonly SessionName[], actor: string): void;
  /* Every open session that this gateway owns, for an operator; all or, with `forbidden`, none. How many were closed. */
  closeAll(end: SessionEnd): Promise<number>;
}

export interface SessionEnd {
  readonly reason: CloseReason;
  readonly audit: AuditEntry;
}

export interface SessionsDeps {
  readonly store: Store;
  readonly log: Log;
  readonly instance: Instance;
  readonly beats: ClientBeats;
  readonly runs: SessionRuns;
  readonly observer: SessionObserver;
  readonly onClosed: Sessions['onClosed'];
}

/* Between reading a lease and closing it somebody may take it over. That is rare, and twice in a row it is something else. */
const attemptsMax = 5;

export function createSessions(deps: SessionsDeps): Sessions {
  const { store, instance, beats } = deps;
  const checkMayClose: Sessions['checkMayClose'] = (sessions, actor) => {
    for (const session of sessions) deps.runs.checkMayEnd(session, actor);
  };
  return {
    seen: (accountId, sessionId) => beats.seen(accountId, sessionId),
    assertOpen: async (accountId, sessionId) => {
      const session = await store.forAccount(accountId).sessions.get(sessionId);
      if (session === undefined) throw notFound();
      if (session.endedAtMs !== undefined) {
        throw new ApiError('expired', 'the session is closed', {
          detail: { close_reason: session.closeReason },
        });
      }
      beats.seen(accountId, sessionId);
      return session;
    },
    onClosed: (listener) => deps.onClosed(listener),
    close: (accountId, sessionId, end) => closeOne(deps, { accountId, id: sessionId }, end),
    checkMayClose,
    closeAll: async (end) => {
      const mine = await store.system.leases.ownedBy(instance.owner());
      checkMayClose(mine, end.audit.actor);
      const closed = await Promise.all(mine.map((session) => closeOne(deps, session, end)));
      return closed.filter((session) => session !== undefined).length;
    },
  };
}

async function closeOne(
  deps: SessionsDeps,
  { accountId, id }: SessionName,
  { reason, audit }: SessionEnd,
): Promise<Session | undefined> {
  const { sessions } = deps.store.forAccount(accountId);
  for (let attempt = 1; ; attempt += 1) {
    const found = await sessions.get(id);
    if (found === undefined) return undefined;
    deps.runs.checkMayEnd({ accountId, id }, audit.actor);
    const step = await sessions.close({ id, epoch: found.epoch, reason, audit });
    if (step.outcome === 'not_found') return undefined;
    if (step.outcome === 'epoch_stale' && attempt < attemptsMax) continue;
    if (step.outcome === 'epoch_stale') throw new ApiError('epoch_stale');
    if (step.outcome === 'changed') {
      const closed = closedSessionOf(accountId, step.session);
      deps.observer.closed(closed);
      const log = sessionLog(deps.log, { accountId, id, traceId: audit.traceId });
      logDocumented(log, 'session.close', { reason, duration_ms: closed.lifeMs });
    }
    // Also when it was closed before: whoever did may not have got this far.
    await deps.runs.end({ accountId, id }, audit.actor);
    return step.session;
  }
}
