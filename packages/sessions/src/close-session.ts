/*
 * Closing a session on request.
 *
 * A close ends the runs of the session, so we first check that the caller may end them. The session is closed before its runs are
 * ended, so that nothing new can start in between. If this process dies in between, the clean-up of the gateway on the runs'
 * machine ends them (keep-busy-sessions.ts).
 */
import { changeSession } from './change-session.ts';
import type { Asker } from './decide-on.ts';
import type { SessionDeps } from './ports.ts';
import type { SessionName, SessionRecord, WishedReason } from './session.ts';

export interface SessionClose {
  readonly reason: WishedReason;
  readonly by: Asker;
}

/* `undefined`: there is no such session. Throws what `checkMayEnd` throws, and has then closed nothing. */
export async function closeSession(
  deps: Pick<SessionDeps, 'recordsOf' | 'news' | 'runs'>,
  session: SessionName,
  { reason, by }: SessionClose,
): Promise<SessionRecord | undefined> {
  deps.runs.checkMayEnd(session, by.actor);
  const done = await changeSession(deps, session, { event: { type: 'closed', reason }, by });
  if (done.outcome === 'not_found') return undefined;
  // Also when it was closed before: that close may have been cut off before it ended the runs.
  await deps.runs.end(session, by.actor);
  return done.session;
}
