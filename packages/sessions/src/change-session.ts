/*
 * Stores what an event makes of a session and, if that is its end, tells the news. Every end of a session goes through here.
 */
import { type Asker, type AuditedEvent, decideOn } from './decide-on.ts';
import type { EndedSession } from './news.ts';
import type { ChangeOutcome, SessionDeps } from './ports.ts';
import type { SessionName, SessionRecord } from './session.ts';

export interface SessionChange {
  readonly event: AuditedEvent;
  readonly by: Asker;
}

export async function changeSession(
  { recordsOf, news }: Pick<SessionDeps, 'recordsOf' | 'news'>,
  { accountId, id }: SessionName,
  { event, by }: SessionChange,
): Promise<ChangeOutcome> {
  const decide = decideOn(event, by);
  const done = await recordsOf(accountId).change(id, decide);
  if (done.outcome === 'changed' && isEnd(event)) {
    const cause = event.type;
    const { traceId } = by;
    news.announce({
      type: 'ended',
      session: { accountId, cause, traceId, ...factsOf(done.session) },
    });
  }
  return done;
}

function isEnd(
  event: AuditedEvent,
): event is Extract<AuditedEvent, { type: EndedSession['cause'] }> {
  const ends: readonly string[] = ['closed', 'idle', 'lost', 'failed'];
  return ends.includes(event.type);
}

/* An end leaves the client's clock where it was. */
function factsOf(session: SessionRecord): Omit<EndedSession, 'accountId' | 'cause' | 'traceId'> {
  const { id, createdAtMs, startedAtMs = createdAtMs, endedAtMs = createdAtMs } = session;
  return {
    id,
    reason: session.closeReason ?? 'error',
    error: session.errorMessage,
    errorCode: session.errorCode,
    wasActive: session.startedAtMs !== undefined,
    lifeMs: Math.max(0, endedAtMs - startedAtMs),
    idleMs: Math.max(0, endedAtMs - session.clientHeartbeatAtMs),
  };
}
