/*
 * `/ws/sessions/:id`: a session, the runs that its client wants to see, and its end.
 */
import { runClientMessageSchema, socketCloseCodes } from '@clawdfather/protocol/api';
import type { Session } from '@clawdfather/store';
import { notFound } from '../http/api-error.ts';
import { showSession } from '../sessions/show-session.ts';
import { handleCommon } from './common-messages.ts';
import { type Face, type FaceOptions, gatewayOf } from './face.ts';
import { runsOfSocket } from './runs-of-socket.ts';
import { Terminals } from './terminals.ts';

/* Throws `not_found` for a missing session and for one of another account. */
export async function openSessionFace(options: FaceOptions): Promise<Face> {
  const { context, id, caller, outbox, onInput } = options;
  const { hub, sharedRuns, sessions, sessionWatch } = context;
  const session = await saySession(options);
  const stopWatching = sessionWatch.untilEnded(caller.accountId, id, (ended) =>
    sayClosed(options, ended),
  );
  if (session.endedAtMs === undefined) sessions.seen(caller.accountId, id);
  else sayClosed(options, session);
  const terminals = new Terminals({
    runs: runsOfSocket(options),
    outbox,
    hub,
    sharedRuns,
    ownRunId: undefined,
    onInput,
    onRunEnded: () => {},
    onRunLost: () => {},
  });
  return {
    handle: async (message) => {
      // Every message counts as a heartbeat of the session's client.
      sessions.seen(caller.accountId, id);
      await handleCommon(options, terminals, runClientMessageSchema.parse(message));
    },
    drained: () => terminals.drained(),
    close: () => {
      stopWatching();
      terminals.close();
    },
  };
}

async function saySession({ context, id, caller, outbox }: FaceOptions): Promise<Session> {
  const { sessions, connections } = context.store.forAccount(caller.accountId);
  const session = await sessions.get(id);
  if (session === undefined) throw notFound();
  const connection =
    session.connectionId === undefined ? undefined : await connections.get(session.connectionId);
  outbox.send({
    type: 'session',
    session: showSession(session, connection),
    ...gatewayOf(context),
  });
  return session;
}

function sayClosed({ outbox }: FaceOptions, session: Session): void {
  outbox.send({
    type: 'session_closed',
    reason: session.closeReason ?? 'error',
    message: session.errorMessage ?? 'the session is closed',
  });
  outbox.close(socketCloseCodes.ended, 'the session is closed');
}
