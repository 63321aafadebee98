/*
 * The lines of the log about sessions, made from their news.
 */
import { assertNever, type Log } from '@clawdfather/kit';
import type { EndedSession, NewsListener, SessionName } from '@clawdfather/sessions';
import { errorTypeOf } from './error-type.ts';
import { logDocumented } from './log-events.ts';

export function createSessionLines(log: Log): NewsListener {
  return (news) => {
    switch (news.type) {
      case 'started':
        logDocumented(about(log, news.session, news.traceId), 'session.start', {
          agent: news.agent,
        });
        return;
      case 'start-failed':
        // The request that failed has a line of its own, with the reason.
        return;
      case 'adopted':
        about(log, news.session).event('session.adopted', { epoch: news.epoch, from: news.from });
        return;
      case 'ended':
        logEnd(about(log, news.session, news.session.traceId), news.session);
        return;
      default:
        assertNever(news);
    }
  };
}

function logEnd(log: Log, session: EndedSession): void {
  const { cause, reason, error, lifeMs, idleMs } = session;
  if (cause === 'closed') {
    logDocumented(log, 'session.close', { reason, duration_ms: lifeMs });
  } else if (error !== undefined && cause !== 'idle') {
    logDocumented(log, 'session.error', { error_type: errorTypeOf(session), error });
  } else {
    logDocumented(log, 'session.timeout', { idle_ms: idleMs });
  }
}

function about(log: Log, { accountId, id }: SessionName, traceId?: string): Log {
  return log.child({
    component: 'session',
    session_lease_id: id,
    account_id: accountId,
    ...(traceId === undefined ? {} : { trace_id: traceId }),
  });
}
