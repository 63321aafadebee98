/*
 * A close that somebody asks for.
 *
 * A close ends what runs in the session, so it is open to those who may end that, which is looked at first. The session is closed
 * before its runs are ended, so that nothing new can start in between. If we die in between, the clean-up of the gateway that has
 * the runs ends them (keep-busy-sessions.ts).
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
  // Also when it was closed before: the one who did may not have got this far.
  await deps.runs.end(session, by.actor);
  return done.session;
}
