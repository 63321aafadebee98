/*
 * What the rest of the gateway needs of sessions: whether one is open, its heartbeat, and its end.
 */
import type { AccountId } from '@clawdfather/kit';
import {
  closeSession,
  type EndedSession,
  type SessionClose,
  type SessionDeps,
  type SessionName,
  type SessionRecord,
} from '@clawdfather/sessions';
import type { Store } from '@clawdfather/store';
import { ApiError, notFound } from '../http/api-error.ts';
import type { ClientBeats } from './client-beats.ts';
import type { Instance } from './instance.ts';

export interface Sessions extends ClientBeats {
  /* For a call that wants to do something in it; counts as a heartbeat. Throws `not_found`, or `expired` for one that is over. */
  assertOpen(accountId: AccountId, sessionId: string): Promise<SessionRecord>;
  /*
   * Closing twice is harmless. `undefined`: there is no such session. Throws `forbidden`, and has closed nothing, when something
   * runs in it that this actor may not end.
   */
  close(session: SessionName, close: SessionClose): Promise<SessionRecord | undefined>;
  /* Throws `forbidden` as `close` does, for a caller with more to do than closing them. */
  checkMayClose(sessions: readonly SessionName[], actor: string): void;
  /* Of sessions that somebody has closed in a transaction: tells it, and ends what runs in them. */
  endClosed(closed: readonly EndedSession[], actor: string): Promise<void>;
  /* Every open session that this gateway owns, for an operator; all or, with `forbidden`, none. How many were closed. */
  closeAll(close: SessionClose): Promise<number>;
}

export interface SessionsDeps {
  readonly store: Store;
  readonly instance: Instance;
  readonly beats: ClientBeats;
  readonly deps: SessionDeps;
}

export function createSessions({ store, instance, beats, deps }: SessionsDeps): Sessions {
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
    close: (session, close) => closeSession(deps, session, close),
    checkMayClose,
    endClosed: async (closed, actor) => {
      for (const session of closed) deps.news.announce({ type: 'ended', session });
      await Promise.all(closed.map((session) => deps.runs.end(session, actor)));
    },
    closeAll: async (close) => {
      const mine = await store.system.leases.ownedBy(instance.owner());
      checkMayClose(mine, close.by.actor);
      const closed = await Promise.all(mine.map((session) => closeSession(deps, session, close)));
      return closed.filter((session) => session !== undefined).length;
    },
  };
}
