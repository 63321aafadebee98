/*
 * `/ws/sessions/:id`: a session, its conversation, the runs that its client wants to see, and its end.
 */
import { sessionClientMessageSchema, socketCloseCodes } from '@clawdfather/protocol/api';
import type { Session } from '@clawdfather/store';
import { ApiError, notFound } from '../http/api-error.ts';
import { showSession } from '../sessions/show-session.ts';
import { handleCommon } from './common-messages.ts';
import { type Face, type FaceOptions, gatewayOf } from './face.ts';
import { runsOfSocket } from './runs-of-socket.ts';
import { openSessionThread, type SessionThread, type ThreadMessage } from './session-thread.ts';
import { Terminals } from './terminals.ts';

/* Throws `not_found` for a missing session and for one of another account. */
export async function openSessionFace(options: FaceOptions): Promise<Face> {
  const { context, id, caller, outbox, onInput } = options;
  const { hub, sharedRuns, sessions, sessionWatch } = context;
  const { session, thread: known } = await saySession(options);
  let thread: SessionThread | undefined;
  if (known !== undefined && session.endedAtMs === undefined) {
    const { id: threadId, lastSeq } = known;
    thread = openSessionThread(options, { threadId, after: options.resumeFrom ?? lastSeq });
  }
  const stopWatching = sessionWatch.untilEnded(caller.accountId, id, (seen) => {
    if (seen.endedAtMs !== undefined) return sayClosed(options, seen);
    // A session that was still being started has its agent only later.
    const { agentSessionId: threadId } = seen;
    if (thread === undefined && threadId !== undefined) {
      thread = openSessionThread(options, { threadId, after: options.resumeFrom ?? 0 });
    }
  });
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
    handle: async (json) => {
      // Every message counts as a heartbeat of the session's client.
      sessions.seen(caller.accountId, id);
      const message = sessionClientMessageSchema.parse(json);
      if (isAboutThread(message)) await (thread ?? noThread()).handle(message);
      else await handleCommon(options, terminals, message);
    },
    drained: () => {
      terminals.drained();
      thread?.drained();
    },
    close: () => {
      stopWatching();
      terminals.close();
      thread?.close();
    },
  };
}

function isAboutThread(message: { readonly type: string }): message is ThreadMessage {
  return message.type === 'message' || message.type === 'cancel';
}

function noThread(): never {
  throw new ApiError('unsupported', 'the session has no agent, or it has not started yet');
}

async function saySession({ context, id, caller, outbox }: FaceOptions) {
  const { sessions, connections, threads } = context.store.forAccount(caller.accountId);
  const session = await sessions.get(id);
  if (session === undefined) throw notFound();
  const { connectionId, agentSessionId } = session;
  const connection = connectionId === undefined ? undefined : await connections.get(connectionId);
  const thread = agentSessionId === undefined ? undefined : await threads.get(agentSessionId);
  outbox.send({
    type: 'session',
    session: showSession(session, connection),
    thread: thread === undefined ? null : { id: thread.id, last_seq: thread.lastSeq },
    ...gatewayOf(context),
  });
  return { session, thread };
}

function sayClosed({ outbox }: FaceOptions, session: Session): void {
  outbox.send({
    type: 'session_closed',
    reason: session.closeReason ?? 'error',
    message: session.errorMessage ?? 'the session is closed',
  });
  outbox.close(socketCloseCodes.ended, 'the session is closed');
}
