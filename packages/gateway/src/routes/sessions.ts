/*
 * Sessions over HTTP: start, look, close. A call that names one is a heartbeat of its client.
 */
import type { Api } from '@clawdfather/protocol/api';
import type { Log } from '@clawdfather/kit';
import type { AccountId, Session, Store } from '@clawdfather/store';
import { ApiError, notFound } from '../http/api-error.ts';
import { auditOf, type Handlers } from '../http/handlers.ts';
import { logDocumented } from '../observe/log-events.ts';
import type { Runs } from '../runs/open-runs.ts';
import type { Instance } from '../sessions/instance.ts';
import type { SessionObserver } from '../sessions/session-observer.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { sessionLog } from '../sessions/session-log.ts';
import { showSession } from '../sessions/show-session.ts';
import { startSession } from '../sessions/start-session.ts';

export interface SessionsParts {
  readonly store: Store;
  readonly log: Log;
  readonly runs: Pick<Runs, 'users'>;
  readonly instance: Instance;
  readonly sessions: Sessions;
  readonly sessionObserver: SessionObserver;
}

export function createSessionsHandlers(parts: SessionsParts): Handlers<Api['sessions']> {
  const { store, instance, sessions, sessionObserver } = parts;
  const show = async (accountId: AccountId, session: Session) => {
    const { connectionId } = session;
    if (connectionId === undefined) return showSession(session, undefined);
    return showSession(session, await store.forAccount(accountId).connections.get(connectionId));
  };
  return {
    list: async ({ caller: { accountId }, query }) => {
      const { status, limit, offset } = query;
      const page = await store.forAccount(accountId).sessions.list({
        limit,
        offset,
        ...(status === undefined ? {} : { status }),
      });
      const items = await Promise.all(page.items.map((session) => show(accountId, session)));
      return { items, total: page.total, limit, offset };
    },
    create: async (call) => {
      const { accountId } = call.caller;
      const { connection_id: connectionId, agent } = call.body;
      // A session without a connection is one on this machine, where a resend finds it too.
      if (connectionId === null) parts.runs.users.of(accountId);
      try {
        const { session, isRepeated } = await startSession(store.forAccount(accountId), {
          connectionId,
          agent,
          owner: instance.owner(),
          idempotencyKey: call.header('idempotency-key'),
          audit: auditOf(call, 'session.start'),
        });
        if (!isRepeated) {
          sessionObserver.started('ok');
          const { traceId } = call;
          const log = sessionLog(parts.log, { accountId, id: session.id, traceId });
          logDocumented(log, 'session.start', { agent: session.agent });
        }
        return { session: await show(accountId, session) };
      } catch (error) {
        // What was refused for good reasons was no attempt.
        if (!(error instanceof ApiError)) sessionObserver.started('failed');
        throw error;
      }
    },
    get: async ({ caller: { accountId }, params }) => {
      const session = await store.forAccount(accountId).sessions.get(params.id);
      if (session === undefined) throw notFound();
      if (session.endedAtMs === undefined) sessions.seen(accountId, session.id);
      return { session: await show(accountId, session) };
    },
    close: async (call) => {
      const { accountId } = call.caller;
      const audit = auditOf(call, 'session.close');
      const session = await sessions.close(accountId, call.params.id, { reason: 'user', audit });
      if (session === undefined) throw notFound();
      return { session: await show(accountId, session) };
    },
    closeAll: async (call) => {
      if (!call.caller.isOwner)
        throw new ApiError('forbidden', 'only for the owner of the machine');
      const audit = auditOf(call, 'session.close');
      return { closed: await sessions.closeAll({ reason: 'server_closed', audit }) };
    },
  };
}
